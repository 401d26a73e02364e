//! A door's settings as a person types them: `key=value`.

use postern_contract::AgentRow;
use postern_contract::methods::{AgentRef, ControlError, DoorKind, DoorSettingKind, GetAgent};
use postern_host::{ConnectedApproverKind, Host};
use postern_policy::AgentId;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Settings as they were typed, by key.
pub(crate) type DoorValues = BTreeMap<String, String>;

/// Refuses a key that the door does not know, and names those that it does.
pub(crate) fn check_keys(values: &DoorValues, door: DoorKind) -> Result<(), ControlError> {
    let keys: Vec<String> = door.settings().into_iter().map(|setting| setting.key).collect();
    match values.keys().find(|key| !keys.contains(key)) {
        Some(key) => {
            let key = postern_command::escape::visible_text(key);
            let has = if keys.is_empty() { "none".to_owned() } else { keys.join(", ") };
            Err(ControlError::invalid(format!("this integration has no setting {key}; it has {has}")))
        }
        None => Ok(()),
    }
}

/// Returns the values that may be shown, and the keys of those that may not.
pub(crate) fn split_secrets(values: &DoorValues, door: DoorKind) -> (DoorValues, Vec<String>) {
    let settings = door.settings();
    let open = |key: &String| {
        settings.iter().any(|setting| setting.key == *key && setting.kind != DoorSettingKind::Secret)
    };
    // What no setting names is of another version: it may be a secret.
    let (told, kept): (DoorValues, DoorValues) = values.clone().into_iter().partition(|(key, _)| open(key));
    (told, kept.into_keys().collect())
}

/// Reads `on` or `off`; off by default.
pub(crate) fn switch(values: &DoorValues, key: &str) -> Result<bool, ControlError> {
    match values.get(key).map(String::as_str) {
        None | Some("off") => Ok(false),
        Some("on") => Ok(true),
        Some(_) => Err(ControlError::invalid(format!("{key} is on or off"))),
    }
}

/// Returns the agent whose rules hold for who comes through a door: `agent=ID`.
pub(crate) async fn find_agent(
    host: &Host,
    values: &DoorValues,
    door: DoorKind,
) -> Result<AgentRow, ControlError> {
    let name = values.get("agent").ok_or_else(|| {
        ControlError::invalid(format!(
            "say whose rules hold for {}: agent=ID (postern agents add ID makes one)",
            door.name()
        ))
    })?;
    let agent = AgentId::new(name).map_err(|error| ControlError::invalid(format!("agent: {error}")))?;
    let face = host.named_face(ConnectedApproverKind::Remote, door.name()).id();
    host.call_method::<GetAgent>(face, &AgentRef { agent }).await
}

pub(crate) fn split_list(values: &DoorValues, key: &str) -> Vec<String> {
    let text = values.get(key).map(String::as_str).unwrap_or_default();
    text.split(',').map(str::trim).filter(|one| !one.is_empty()).map(str::to_owned).collect()
}

/// Returns a file's path, which has to be absolute: the host runs in another folder than the person's.
pub(crate) fn absolute(key: &str, text: &str) -> Result<PathBuf, ControlError> {
    let path = PathBuf::from(text);
    if path.is_absolute() {
        Ok(path)
    } else {
        Err(ControlError::invalid(format!("{key} is an absolute path")))
    }
}

#[cfg(test)]
mod tests {
    use super::{DoorValues, check_keys, split_secrets, switch};
    use postern_contract::methods::DoorKind;

    #[test]
    fn a_misspelt_setting_is_named() {
        let values = DoorValues::from([("lisen".to_owned(), "x".to_owned())]);
        let error = check_keys(&values, DoorKind::Websocket).unwrap_err();
        assert!(error.message.contains("lisen") && error.message.contains("listen, tls"), "{error}");
        assert!(check_keys(&DoorValues::new(), DoorKind::Websocket).is_ok());
    }

    #[test]
    fn what_is_not_known_to_be_harmless_is_not_told() {
        let pair = |key: &str| (key.to_owned(), "x".to_owned());
        let (values, kept) =
            split_secrets(&DoorValues::from([pair("listen"), pair("token")]), DoorKind::Websocket);
        assert_eq!(values, DoorValues::from([pair("listen")]));
        assert_eq!(kept, ["token"]);
    }

    #[test]
    fn a_switch_is_on_or_off_and_nothing_else() {
        let of = |text: &str| switch(&DoorValues::from([("relay".to_owned(), text.to_owned())]), "relay");
        assert_eq!((of("on"), of("off")), (Ok(true), Ok(false)));
        assert!(of("yes").is_err(), "a doubt turns nothing on");
        assert_eq!(switch(&DoorValues::new(), "relay"), Ok(false));
    }
}
