//! Start of a new agent: one choice for its classes.

use crate::Status;
use postern_policy::{Access, Class, Preset, Settings};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Choice of what a new agent may do silently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Nothing: the user is asked about everything that no rule allows.
    Ask,
    /// Looks around, confined.
    Look,
    /// Looks around, changes its files and runs code of its projects, confined to its folders.
    Work,
}

impl Start {
    /// Returns the classes that it allows.
    pub fn classes(self) -> &'static [Class] {
        match self {
            Self::Ask => &[],
            Self::Look => &[Class::Look],
            Self::Work => &[Class::Look, Class::Files, Class::Build],
        }
    }

    /// Sets the preset *Ask* with its classes. Classes that are denied and that it doesn't allow stay denied.
    pub fn apply_to(self, settings: &mut Settings) {
        settings.apply_preset(Preset::Ask);
        for class in Class::ALL {
            if self.classes().contains(&class) {
                settings.set_access(class, Access::Allow);
            } else if settings.access(class) == Access::Allow {
                settings.set_access(class, Access::Ask);
            }
        }
        settings.loopback = self == Self::Work;
    }

    /// Returns why the system cannot confine what it allows, so that the user is asked.
    pub fn cannot_confine(self, status: &Status) -> Option<&str> {
        match self {
            Self::Ask => None,
            Self::Look => status.cannot_confine.as_deref(),
            Self::Work => status.cannot_confine_project.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Start;
    use postern_policy::{Access, Class, Preset, Settings};

    fn allowed(start: Start, mut settings: Settings) -> (Vec<Class>, Settings) {
        start.apply_to(&mut settings);
        let allows = |class: &Class| settings.access(*class) == Access::Allow;
        (Class::ALL.into_iter().filter(allows).collect(), settings)
    }

    #[test]
    fn each_start_allows_its_classes_and_nothing_else() {
        for start in [Start::Ask, Start::Look, Start::Work] {
            let (classes, settings) =
                allowed(start, Settings { share: Access::Allow, loopback: true, ..Settings::default() });
            assert_eq!(classes, start.classes(), "{start:?}");
            assert_eq!(settings.loopback, start == Start::Work);
        }
    }

    #[test]
    fn a_start_asks_and_leaves_denied_what_it_does_not_allow() {
        let mut strict = Settings { secrets: Access::Deny, files: Access::Deny, ..Settings::default() };
        strict.apply_preset(Preset::Allow);
        let (classes, settings) = allowed(Start::Work, strict);
        assert_eq!((classes.len(), settings.preset()), (3, Some(Preset::Ask)));
        assert_eq!(settings.secrets, Access::Deny);
    }
}
