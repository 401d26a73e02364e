//! Cost of an open fleet door: the round trip of a denied request beside the same without a fleet. The broker answers, or is
//! frozen.

use super::round_trip::{ask_denied, over};
use crate::Effort;
use crate::data::{DENIED, Data, RULES, denied};
use crate::proc::wait_for_rest;
use crate::processes::{BrokerProcess, Host, find_program, run_command_line};
use crate::sample::{Sample, in_turn};
use crate::table::{Row, Value};
use anyhow::ensure;
use postern_client::{Channel, Control};
use postern_contract::methods::{DoorKind, DoorState, ListDoors, Nothing};
use std::cell::Cell;
use std::net::TcpListener;
use std::path::Path;
use std::time::{Duration, Instant};

/// Ratio that the open door may cost.
const MOST: f64 = 1.05;
const GOAL: &str = "<= 1.05 x p50";
/// Longest time for the door to connect.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for which a host that does nothing is quiet.
const QUIET: Duration = Duration::from_millis(300);

/// A host that can be in a fleet.
struct FleetLab<'a> {
    postern: &'a Path,
    data: Data,
    host: u32,
    effort: Effort,
    /// Turns so far.
    turns: Cell<usize>,
}

pub(crate) fn measure(program: &Path, effort: Effort) -> anyhow::Result<Vec<Row>> {
    let Some(server) = find_program("nats-server") else {
        let said = Value::Text("nats-server was not found".to_owned());
        return Ok(vec![Row::alone("denied, fleet door open", said, GOAL, false)]);
    };
    let data = Data::with(RULES)?;
    let host = Host::start(program, data.folder())?;
    let lab = FleetLab { postern: program, data, host: host.pid(), effort, turns: Cell::new(0) };
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let listen = format!("127.0.0.1:{port}");
    let start = ["fleet", "start", "--name", "bench", "--person", "Bench", "--listen", listen.as_str()];
    run_command_line(program, lab.data.folder(), &[&start[..], &["--before-2-10", "--yes"]].concat())?;
    let broker = BrokerProcess::start(&server, &lab.data.folder().join("fleet/broker/broker.conf"))?;
    let connected = lab.row("denied, fleet door open", || lab.turn())?;
    let frozen = lab.row("denied, fleet broker frozen", || {
        broker.freeze()?;
        let sample = lab.turn();
        broker.thaw()?;
        sample
    })?;
    drop(broker);
    host.stop()?;
    Ok(vec![connected, frozen])
}

impl FleetLab<'_> {
    /// Measures beside a closed door, in turn. Before each turn the door has connected, or closed, and the host does nothing.
    fn row(
        &self,
        figure: &str,
        mut with_fleet: impl FnMut() -> anyhow::Result<Sample>,
    ) -> anyhow::Result<Row> {
        let sides = in_turn(
            self.effort.turns,
            || {
                self.open()?;
                wait_for_rest(self.host, QUIET)?;
                with_fleet()
            },
            || {
                run_command_line(self.postern, self.data.folder(), &["doors", "disable", "fleet"])?;
                wait_for_rest(self.host, QUIET)?;
                self.turn()
            },
        )?;
        Ok(Row::beside(figure, &sides, "no fleet", GOAL, |ratio| ratio <= MOST))
    }

    /// Asks for what a rule denies, some times.
    fn turn(&self) -> anyhow::Result<Sample> {
        // One agent may not record as much as all turns do.
        let turn = self.turns.replace(self.turns.get() + 1);
        let mut channel: Channel = self.data.connect(&denied(turn % DENIED))?;
        over(&mut channel, 200 * self.effort.size, ask_denied)
    }

    /// Opens the door, and waits until it is connected.
    fn open(&self) -> anyhow::Result<()> {
        run_command_line(self.postern, self.data.folder(), &["doors", "enable", "fleet"])?;
        let mut person = Control::connect(self.data.folder())?;
        let begun = Instant::now();
        loop {
            let doors = person.call_method::<ListDoors>(&Nothing {})?.doors;
            let door = doors.into_iter().find(|door| door.door == DoorKind::Fleet);
            if door.is_some_and(|door| door.state == DoorState::Open && door.problem.is_none()) {
                return Ok(());
            }
            ensure!(begun.elapsed() < PATIENCE, "the fleet's door does not connect");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
