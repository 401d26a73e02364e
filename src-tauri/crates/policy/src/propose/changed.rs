//! Changed program with the rules that were given for it as it was.

use crate::cause::Difference;
use crate::judge::changes;
use crate::rule::{Identity, Rule, Signature};

/// A program that changed, and the rules that hold for it as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramRenewal {
    /// Absolute path of the program.
    pub program: String,
    /// The identity that the rules are bound to.
    pub was: Identity,
    pub now: Identity,
    /// The rules, by number.
    pub rules: Vec<Rule>,
}

impl ProgramRenewal {
    /// Returns what changed of the program.
    pub fn change(&self) -> Difference {
        changes(&self.was, &self.now)
    }

    /// Returns whether the same signer, or again nobody, signed it.
    pub fn is_same_signer(&self) -> bool {
        let signer = |identity: &Identity| identity.signature.as_ref().and_then(Signature::signer);
        signer(&self.was) == signer(&self.now)
    }
}
