//! Ends of what lasts for a time, after the wall clock was set between two hosts.

use crate::column::{JsonColumn, to_json_text};
use crate::error::Error;
use crate::tables::rules;
use postern_policy::{Effect, Lifetime, Millis, RuleId};
use rusqlite::{Connection, params};

/// Wall clock that was set between two hosts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClockChange {
    /// Present time by the count of the host before; the least that it can be where it is not `exact`.
    pub before: Millis,
    /// Lead of the new count over that one, in milliseconds; negative if the clock was put back.
    pub ahead: Millis,
    /// True if it is known how much time passed between the hosts.
    pub exact: bool,
}

impl ClockChange {
    /// Returns the end of a prohibition by the new count: it has the time left that it had.
    ///
    /// One that had ended keeps its end, because the count by which it had may have been the wrong one.
    pub fn end_of_prohibition(self, end: Millis) -> Millis {
        if end <= self.before { end } else { end.saturating_add(self.ahead) }
    }

    /// Returns the end of a permission by the new count, which is never a longer time; `None` if it is over.
    fn end_of_permission(self, end: Millis) -> Option<Millis> {
        (self.exact && self.before < end).then(|| end.saturating_add(self.ahead.min(0)))
    }
}

/// Number of things that a set clock ended or moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CarriedEnds {
    /// Allow rules that are over, because the time that was left is not known.
    pub over: usize,
    /// Rules and stops whose end is another.
    pub moved: usize,
}

/// Writes the ends of rules and of stopped agents by the new count.
pub fn carry_ends(conn: &Connection, change: ClockChange) -> Result<CarriedEnds, Error> {
    let mut carried = CarriedEnds::default();
    for (id, effect, lifetime) in timed_rules(conn)? {
        let Lifetime::Until(end) = lifetime else { continue };
        let new_end = match effect {
            Effect::Allow => change.end_of_permission(end),
            Effect::Ask | Effect::Deny => Some(change.end_of_prohibition(end)),
        };
        let Some(new_end) = new_end else {
            rules::remove(conn, id)?;
            carried.over += usize::from(change.before < end);
            continue;
        };
        if new_end != end {
            let lifetime = to_json_text(&Lifetime::Until(new_end))?;
            conn.execute("UPDATE rules SET lifetime = ?2 WHERE id = ?1", params![id, lifetime])?;
            carried.moved += 1;
        }
    }
    let moved = conn.execute(
        "UPDATE agents SET denied_until = denied_until + ?2 WHERE denied_until > ?1",
        params![change.before, change.ahead],
    )?;
    carried.moved += moved;
    Ok(carried)
}

fn timed_rules(conn: &Connection) -> Result<Vec<(RuleId, Effect, Lifetime)>, Error> {
    let mut query =
        conn.prepare("SELECT id, effect, lifetime FROM rules WHERE lifetime <> '{\"kind\":\"forever\"}'")?;
    let timed = query.query_map([], |row| {
        Ok((row.get(0)?, row.get::<_, JsonColumn<_>>(1)?.0, row.get::<_, JsonColumn<_>>(2)?.0))
    })?;
    Ok(timed.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::{CarriedEnds, ClockChange, carry_ends};
    use crate::error::Error;
    use crate::tables::{agents, rules};
    use crate::testing::{allow_rule, open_temp_store, sample_agent};
    use postern_policy::{Effect, Lifetime, Millis, Rule, RuleId};
    use rusqlite::Connection;

    const BEFORE: Millis = 1_000_000;

    fn end_of(conn: &Connection, id: RuleId) -> Result<Option<Millis>, Error> {
        Ok(match rules::get_rule(conn, id)?.map(|rule| rule.lifetime) {
            Some(Lifetime::Until(end)) => Some(end),
            Some(_) | None => None,
        })
    }

    /// Returns the ends of an allow rule, a deny rule and a stopped agent that ended at `end`, after a change.
    fn carried(end: Millis, change: ClockChange) -> (CarriedEnds, [Option<Millis>; 3]) {
        let (_folder, store) = open_temp_store();
        let ends = store.write(move |conn| {
            let stopped = agents::Agent { denied_until: Some(end), ..sample_agent("main") };
            agents::insert_agent(conn, &stopped)?;
            let allow = Rule { lifetime: Lifetime::Until(end), ..allow_rule(Some("main"), "ls") };
            let deny = Rule { effect: Effect::Deny, ..allow.clone() };
            let (allow, deny) = (rules::insert_rule(conn, &allow)?, rules::insert_rule(conn, &deny)?);
            rules::insert_rule(conn, &allow_rule(None, "date"))?;
            let carried = carry_ends(conn, change)?;
            let stopped = agents::list_agents(conn)?.remove(0).denied_until;
            let forever = rules::list_rules(conn)?.iter().filter(|rule| rule.agent.is_none()).count();
            assert_eq!(forever, 1, "a rule without an end is left alone");
            Ok((carried, [end_of(conn, allow)?, end_of(conn, deny)?, stopped]))
        });
        ends.wait().unwrap()
    }

    #[test]
    fn a_clock_that_was_put_back_lengthens_no_permission() {
        let change = |exact| ClockChange { before: BEFORE, ahead: -5_000, exact };
        let both = Some(BEFORE + 60 - 5_000);
        let (count, ends) = carried(BEFORE + 60, change(true));
        assert_eq!((count, ends), (CarriedEnds { over: 0, moved: 3 }, [both, both, both]), "60 ms are left");
        let (count, ends) = carried(BEFORE + 60, change(false));
        assert_eq!(count, CarriedEnds { over: 1, moved: 2 });
        assert_eq!(ends, [None, both, both], "nobody knows whether they passed");
        for exact in [true, false] {
            let (count, ends) = carried(BEFORE, change(exact));
            assert_eq!(count, CarriedEnds::default(), "it was over already");
            assert_eq!(ends, [None, Some(BEFORE), Some(BEFORE)]);
        }
    }

    #[test]
    fn a_clock_that_was_put_ahead_ends_no_prohibition() {
        let change = ClockChange { before: BEFORE, ahead: 5_000, exact: true };
        let (count, ends) = carried(BEFORE + 60, change);
        assert_eq!(count, CarriedEnds { over: 0, moved: 2 });
        let later = Some(BEFORE + 60 + 5_000);
        assert_eq!(ends, [Some(BEFORE + 60), later, later], "a permission is not lengthened by it");
    }
}
