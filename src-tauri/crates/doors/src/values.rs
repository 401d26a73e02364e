//! A door's settings as a person types them: `key=value`.

use postern_contract::methods::ControlError;
use std::collections::BTreeMap;

/// What was typed, by key.
pub(crate) type Values = BTreeMap<String, String>;

/// Refuses a key that the door does not know, and names those that it does.
pub(crate) fn only(values: &Values, known: &[&str]) -> Result<(), ControlError> {
    match values.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            let key = postern_command::escape::text(key);
            Err(ControlError::invalid(format!("this door has no setting {key}; it has {}", known.join(", "))))
        }
        None => Ok(()),
    }
}

/// `on` or `off`; off where nothing is said.
pub(crate) fn switch(values: &Values, key: &str) -> Result<bool, ControlError> {
    match values.get(key).map(String::as_str) {
        None | Some("off") => Ok(false),
        Some("on") => Ok(true),
        Some(_) => Err(ControlError::invalid(format!("{key} is on or off"))),
    }
}

#[cfg(test)]
mod tests {
    use super::{Values, only, switch};

    #[test]
    fn a_misspelt_setting_is_named() {
        let values = Values::from([("lisen".to_owned(), "x".to_owned())]);
        let error = only(&values, &["listen", "tls"]).unwrap_err();
        assert!(error.message.contains("lisen") && error.message.contains("listen, tls"), "{error}");
        assert!(only(&Values::new(), &[]).is_ok());
    }

    #[test]
    fn a_switch_is_on_or_off_and_nothing_else() {
        let of = |text: &str| switch(&Values::from([("relay".to_owned(), text.to_owned())]), "relay");
        assert_eq!((of("on"), of("off")), (Ok(true), Ok(false)));
        assert!(of("yes").is_err(), "a doubt turns nothing on");
        assert_eq!(switch(&Values::new(), "relay"), Ok(false));
    }
}
