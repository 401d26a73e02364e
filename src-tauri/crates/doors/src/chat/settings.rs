//! Settings of every chat: owners, whose questions are shown where, and how far an answer from a chat goes.

use crate::values::{DoorValues, split_list};
use postern_contract::methods::ControlError;
use postern_policy::AgentId;
use std::collections::BTreeMap;

/// Routing of questions and answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ChatSettings {
    /// Owners that were named, beside those that pair.
    pub(super) owners: Vec<String>,
    /// Agents whose questions are shown; everybody's if empty.
    agents: Vec<AgentId>,
    /// To whom the questions of an agent go, where not to everybody.
    routes: BTreeMap<AgentId, Vec<String>>,
    /// A room where questions are shown that are routed to nobody, on networks whose rooms are joined.
    pub(super) room: Option<String>,
    /// Rights of a chat on a high-risk request.
    pub(super) high_risk: HighRisk,
    /// True if the owners are told of changes that let more run.
    pub(super) changes: bool,
}

/// Rights of a chat on a high-risk request. Denying it is always possible.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum HighRisk {
    /// Shown only.
    #[default]
    Announce,
    /// Approved once at most.
    Once,
    /// As any other.
    Always,
}

impl ChatSettings {
    /// Reads what was typed. `owner` says what is wrong with the id of an owner.
    pub(super) fn from_values(
        values: &DoorValues,
        owner: impl Fn(&str) -> Result<String, String>,
    ) -> Result<Self, ControlError> {
        let agent = |name: &str| {
            AgentId::new(name).map_err(|error| ControlError::invalid(format!("an agent: {error}")))
        };
        let id = |text: &String| owner(text).map_err(ControlError::invalid);
        let owners = split_list(values, "owners").iter().map(id).collect::<Result<_, _>>()?;
        let agents = split_list(values, "agents").iter().map(|name| agent(name)).collect::<Result<_, _>>()?;
        let mut routes: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for route in split_list(values, "routes") {
            let pair = route.split_once(':');
            let (name, whom) =
                pair.ok_or_else(|| ControlError::invalid("routes is AGENT:OWNER,AGENT:OWNER"))?;
            routes.entry(agent(name)?).or_default().push(id(&whom.to_owned())?);
        }
        let high_risk = match values.get("high-risk").map(String::as_str) {
            None | Some("announce") => HighRisk::Announce,
            Some("once") => HighRisk::Once,
            Some("always") => HighRisk::Always,
            Some(_) => return Err(ControlError::invalid("high-risk is announce, once or always")),
        };
        let changes = match values.get("changes").map(String::as_str) {
            None | Some("on") => true,
            Some("off") => false,
            Some(_) => return Err(ControlError::invalid("changes is on or off")),
        };
        Ok(Self { owners, agents, routes, room: None, high_risk, changes })
    }

    pub(super) fn shows_agent(&self, agent: &AgentId) -> bool {
        self.agents.is_empty() || self.agents.contains(agent)
    }

    /// Returns everybody named in a route.
    pub(super) fn routed(&self) -> impl Iterator<Item = &String> {
        self.routes.values().flatten()
    }

    /// Returns the owners that this agent's questions go to; `None` if these are all of them.
    pub(super) fn owners_for_agent(&self, agent: &AgentId) -> Option<&[String]> {
        self.routes.get(agent).map(Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::{ChatSettings, HighRisk};
    use crate::values::DoorValues;
    use postern_policy::AgentId;

    fn read(pairs: &[(&str, &str)]) -> Result<ChatSettings, String> {
        let values: DoorValues =
            pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        let owner =
            |text: &str| text.parse::<i64>().map(|id| id.to_string()).map_err(|_| "a number".to_owned());
        ChatSettings::from_values(&values, owner).map_err(|error| error.message)
    }

    #[test]
    fn questions_go_to_everybody_where_nothing_is_said() {
        let (main, other) = (AgentId::new("main").unwrap(), AgentId::new("other").unwrap());
        let settings = read(&[]).unwrap();
        assert!(settings.shows_agent(&main) && settings.owners_for_agent(&main).is_none());
        assert_eq!(settings.high_risk, HighRisk::Announce, "a doubt allows nothing");
        let settings = read(&[("agents", "main, ci"), ("routes", "main:7,main:8"), ("owners", "7")]).unwrap();
        assert!(settings.shows_agent(&main) && !settings.shows_agent(&other));
        assert_eq!(settings.owners_for_agent(&main).unwrap(), ["7", "8"]);
        assert_eq!(settings.owners, ["7"]);
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert!(read(&[("owners", "anna")]).unwrap_err().contains("number"));
        assert!(read(&[("routes", "main:anna")]).unwrap_err().contains("number"));
        assert!(read(&[("routes", "main")]).unwrap_err().contains("AGENT:OWNER"));
        assert!(read(&[("agents", "ma in")]).unwrap_err().contains("an agent"));
        assert!(read(&[("high-risk", "yes")]).unwrap_err().contains("announce"));
        assert!(read(&[("changes", "no")]).unwrap_err().contains("on or off"));
    }

    #[test]
    fn changes_are_told_until_they_are_turned_off() {
        assert!(read(&[]).unwrap().changes);
        assert!(!read(&[("changes", "off")]).unwrap().changes);
    }
}
