//! Classes of effects, each of which an agent may have, has to ask for, or may not have.

use serde::{Deserialize, Deserializer, Serialize};

postern_protocol::named_values! {
    /// A class of effects.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Class {
        /// Reads its folders and the system's files.
        Look = "look",
        /// Changes its files and its repositories, as far as that can be undone.
        Files = "files",
        /// Runs code of the project, code in the request, and servers on loopback.
        Build = "build",
        /// Fetches from the network.
        Network = "network",
        /// Sends and publishes.
        Share = "share",
        /// Installs software, and runs code that it downloads.
        Install = "install",
        /// Changes this machine, controls apps, runs elsewhere, or reaches outside of its folders.
        System = "system",
        /// Uses keys, passwords and tokens.
        Secrets = "secrets",
    }
}

impl Class {
    /// Returns true if an agent may have it only in folders that the person named.
    pub fn needs_folders(self) -> bool {
        self != Self::Look
    }
}

postern_protocol::named_values! {
    /// Access of an agent to the effects of a class if no rule decides.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
    pub enum Access {
        /// Allowed silently, confined where the class can be.
        Allow = "allow",
        /// The person is asked.
        #[default]
        Ask = "ask",
        Deny = "deny",
    }
}

/// Reads [`Settings::look`], which was the switch `allowReadOnly` up to version 1.0.
pub(crate) fn access_or_switch<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Access, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum AccessOrSwitch {
        Access(Access),
        Switch(bool),
    }
    Ok(match AccessOrSwitch::deserialize(deserializer)? {
        AccessOrSwitch::Access(access) => access,
        AccessOrSwitch::Switch(true) => Access::Allow,
        AccessOrSwitch::Switch(false) => Access::Ask,
    })
}

#[cfg(test)]
mod tests {
    use super::{Access, Class};
    use crate::Settings;

    #[test]
    fn each_class_is_a_setting_of_its_name() {
        for class in Class::ALL {
            let mut settings = Settings::default();
            assert_eq!((settings.access(class), Class::from_name(class.name())), (Access::Ask, Some(class)));
            settings.set_access(class, Access::Deny);
            let written = serde_json::to_value(&settings).unwrap();
            assert_eq!(written[class.name()], "deny", "{class:?}");
            assert_eq!(serde_json::from_value::<Settings>(written).unwrap(), settings);
        }
    }

    #[test]
    fn classes_need_folders_except_to_look() {
        let mut settings = Settings { look: Access::Allow, build: Access::Allow, ..Settings::default() };
        assert!(settings.allows(Class::Look) && !settings.allows(Class::Build));
        settings.folders = vec!["~/p".to_owned()];
        assert!(settings.allows(Class::Build));
    }

    #[test]
    fn the_switch_of_before_is_the_class_look() {
        let read = |text: &str| serde_json::from_str::<Settings>(text).map(|settings| settings.look);
        assert_eq!(read(r#"{"allowReadOnly": true}"#).unwrap(), Access::Allow);
        assert_eq!(read(r#"{"allowReadOnly": false}"#).unwrap(), Access::Ask);
        assert_eq!(read(r#"{"look": "deny"}"#).unwrap(), Access::Deny);
        assert!(read(r#"{"look": "yes"}"#).is_err());
    }
}
