//! Parts of a question that not every face shows.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

postern_protocol::named_values! {
    /// A part of a question beside its command, folder and risk. A face that does not show it cannot allow a
    /// question that has it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
    pub enum Part {
        Environment = "environment",
        Input = "input",
        /// Programs behind bare names, outside of the system's folders.
        Programs = "programs",
        /// Scripts that an interpreter would run, with their first lines.
        Scripts = "scripts",
        /// Programs and scripts that the agent can change until they run.
        Changeable = "changeable",
        /// Rule that *always* would save, and where it would hold. Only that answer needs it.
        Always = "always",
    }
}

impl Part {
    /// Names the part.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Environment => "the environment",
            Self::Input => "standard input",
            Self::Programs => "where the programs lie",
            Self::Scripts => "the scripts that would run",
            Self::Changeable => "what the agent can change until it runs",
            Self::Always => "what would be saved",
        }
    }
}
