//! The part of a desktop that shows notifications, on the session bus of a window under test.

use crate::window::BETWEEN;
use std::collections::HashMap;
use tokio::sync::mpsc;
use zbus::object_server::SignalEmitter;
use zbus::{Connection, OwnedVariant, connection, interface};

/// Path of the service, as the specification has it.
const PATH: &str = "/org/freedesktop/Notifications";

/// News of the app to the desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShownNotification {
    /// A notification: its number, its title, its text, and the names of its buttons with their words.
    Shown { id: u32, title: String, text: String, buttons: Vec<(String, String)> },
    /// Request to close one.
    Closed(u32),
}

#[derive(Debug)]
pub struct NotificationServer {
    connection: Connection,
    told: mpsc::UnboundedReceiver<ShownNotification>,
}

impl NotificationServer {
    pub async fn start(address: &str) -> Self {
        let (tell, told) = mpsc::unbounded_channel();
        let connection = connection::Builder::address(address)
            .name("org.freedesktop.Notifications")
            .serve_at(PATH, Service { tell, last: 0 });
        Self { connection: connection.build().await.expect("the bus is there"), told }
    }

    /// Returns the next thing that the app tells.
    pub async fn next(&mut self) -> ShownNotification {
        self.told.recv().await.expect("the service lasts as long as this")
    }

    /// Presses buttons of notifications until something holds: no one tells when the app listens for a press.
    pub async fn press_until(&self, buttons: &[(u32, &str)], holds: impl AsyncFn() -> bool) {
        let emitter = SignalEmitter::new(&self.connection, PATH).expect("it is a path");
        while !holds().await {
            for (id, button) in buttons {
                Service::action_invoked(&emitter, *id, button).await.expect("the bus is there");
            }
            tokio::time::sleep(BETWEEN).await;
        }
    }
}

struct Service {
    tell: mpsc::UnboundedSender<ShownNotification>,
    last: u32,
}

#[interface(name = "org.freedesktop.Notifications")]
impl Service {
    #[expect(clippy::too_many_arguments, reason = "the specification has so many")]
    fn notify(
        &mut self,
        program: String,
        replaces: u32,
        icon: String,
        title: String,
        text: String,
        actions: Vec<String>,
        hints: HashMap<String, OwnedVariant>,
        timeout: i32,
    ) -> u32 {
        // Nobody looks at these.
        drop((program, replaces, icon, hints, timeout));
        self.last += 1;
        let mut words = actions.into_iter();
        let buttons = std::iter::from_fn(|| Some((words.next()?, words.next()?))).collect();
        self.tell.send(ShownNotification::Shown { id: self.last, title, text, buttons }).ok();
        self.last
    }

    fn close_notification(&self, id: u32) {
        self.tell.send(ShownNotification::Closed(id)).ok();
    }

    #[expect(clippy::unused_self, reason = "a service has methods")]
    fn get_capabilities(&self) -> Vec<String> {
        ["actions", "body"].map(str::to_owned).to_vec()
    }

    #[expect(clippy::unused_self, reason = "a service has methods")]
    fn get_server_information(&self) -> (String, String, String, String) {
        let [name, vendor, version, specification] = ["test", "Postern", "1", "1.2"].map(str::to_owned);
        (name, vendor, version, specification)
    }

    #[zbus(signal)]
    async fn action_invoked(emitter: &SignalEmitter<'_>, id: u32, button: &str) -> zbus::Result<()>;
}
