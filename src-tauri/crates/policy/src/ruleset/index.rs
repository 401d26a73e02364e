//! Index of rules: by path, by program name, by argv, by identity.

use super::globs::GlobIndex;
use crate::path;
use crate::rule::{Identity, IdentityPattern, Signer};
use foldhash::HashMap;
use smallvec::SmallVec;

/// Rules under one key, by their places in the set: nearly always one.
type RulePositions = SmallVec<[usize; 2]>;

/// The rules of one effect. A number is the rule's place in its set.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    paths: HashMap<Box<str>, RulePositions>,
    /// Of rules that deny: what is not found is denied by its name alone.
    base_names: HashMap<Box<str>, RulePositions>,
    globs: GlobIndex,
    first_words: HashMap<Box<str>, RulePositions>,
    any_program: Vec<usize>,
    exact: HashMap<Box<str>, RulePositions>,
    /// Rules for an exact argv, by their first words.
    exact_heads: HashMap<Box<str>, RulePositions>,
    sha256: HashMap<Box<str>, RulePositions>,
    files: HashMap<(u64, String), RulePositions>,
    signed: HashMap<Box<str>, RulePositions>,
    signing_ids: HashMap<Box<str>, RulePositions>,
    team_ids: HashMap<Box<str>, RulePositions>,
}

impl Index {
    /// Returns an empty index; `doubt` is what a glob that cannot be tried counts as.
    pub(super) fn new(doubt: bool) -> Self {
        Self { globs: GlobIndex::new(doubt), ..Self::default() }
    }

    pub(super) fn add_path(&mut self, key: String, generous: bool, at: usize) {
        if generous {
            self.base_names.entry(path::base_name(&key).into()).or_default().push(at);
        }
        self.paths.entry(key.into_boxed_str()).or_default().push(at);
    }

    /// Adds a path glob: for rules that deny also as it reads in the one spelling that paths are compared by.
    pub(super) fn add_glob(
        &mut self,
        expanded: &str,
        generous: bool,
        any_case: bool,
        at: usize,
    ) -> Result<(), String> {
        let text = if any_case { path::fold_case(expanded) } else { expanded.into() };
        let key = generous.then(|| path::deny_key(expanded).into_owned()).filter(|key| *key != text);
        for text in std::iter::once(text.into_owned()).chain(key) {
            let glob = crate::pattern::path_glob(&text, false).map_err(|error| error.kind().to_string())?;
            self.globs.add_glob(&text, glob, at);
        }
        Ok(())
    }

    pub(super) fn add_command(&mut self, first: &str, generous: bool, at: usize) {
        if first.contains(['*', '?']) {
            self.any_program.push(at);
        } else if generous {
            self.first_words.entry(path::fold_case(path::base_name(first)).into()).or_default().push(at);
        } else {
            self.first_words.entry(first.into()).or_default().push(at);
        }
    }

    pub(super) fn add_exact(&mut self, argv: &[String], generous: bool, at: usize) {
        let mut words: Vec<&str> = argv.iter().map(String::as_str).collect();
        let name = path::fold_case(path::base_name(words[0]));
        if generous {
            words[0] = &name;
        }
        self.exact_heads.entry(words[0].into()).or_default().push(at);
        self.exact.entry(words.join("\0").into_boxed_str()).or_default().push(at);
    }

    pub(super) fn add_identity_pattern(&mut self, identity: &IdentityPattern, at: usize) {
        let (map, key) = match identity {
            IdentityPattern::Sha256(hex) => (&mut self.sha256, hex.to_ascii_lowercase()),
            IdentityPattern::Signed { signer, id } => (&mut self.signed, signed_key(signer, id)),
            IdentityPattern::SigningId(id) => (&mut self.signing_ids, id.clone()),
            IdentityPattern::TeamId(id) => (&mut self.team_ids, id.clone()),
        };
        map.entry(key.into_boxed_str()).or_default().push(at);
    }

    pub(super) fn add_identity(&mut self, identity: &Identity, at: usize) {
        self.sha256.entry(identity.sha256.to_ascii_lowercase().into_boxed_str()).or_default().push(at);
        self.files.entry((identity.device, identity.inode.clone())).or_default().push(at);
    }

    /// Rules that allow, by a path as they compare it.
    pub(crate) fn by_path(&self, path: &str, found: &mut Vec<usize>) {
        extend(&self.paths, path, found);
        self.globs.find_rules(path, found);
    }

    /// Finds rules that deny, by any path.
    ///
    /// Literal ones by the one spelling of it, globs by that and by the path itself (`/usr/**` is about
    /// `/usr/bin/x`, which is compared as `/bin/x`).
    pub(crate) fn by_any_spelling(&self, path: &str, found: &mut Vec<usize>) {
        let key = path::deny_key(path);
        self.by_path(&key, found);
        if self.globs.is_empty() {
            return;
        }
        let folded = path::normal(path);
        let folded = path::fold_case(&folded);
        if folded != key {
            self.globs.find_rules(&folded, found);
        }
    }

    /// Returns true if the place of a program that is written so has to be looked up. A path that a rule
    /// writes out is known by its name already, but for one that ends in no name of its own (`/bin/rm/.`).
    pub(crate) fn asks_where(&self, name: &str) -> bool {
        name.contains('/') && (!self.globs.is_empty() || matches!(path::base_name(name), "" | "." | ".."))
    }

    /// Returns true if a rule that denies is about any spelling of this path.
    pub(crate) fn may_be_at(&self, path: &str) -> bool {
        let mut found = Vec::new();
        self.by_any_spelling(path, &mut found);
        !found.is_empty()
    }

    pub(crate) fn by_base_name(&self, name: &str, found: &mut Vec<usize>) {
        extend(&self.base_names, name, found);
    }

    pub(crate) fn by_first_word(&self, word: &str, found: &mut Vec<usize>) {
        extend(&self.first_words, word, found);
    }

    /// Returns true if a rule that denies may be about a program of this name.
    ///
    /// Without folder and in lower case; nothing else is known of it.
    pub(crate) fn may_name(&self, base: &str) -> bool {
        !self.any_program.is_empty()
            || self.first_words.contains_key(base)
            || self.base_names.contains_key(base)
            || self.exact_heads.contains_key(base)
    }

    pub(crate) fn of_any_program(&self) -> &[usize] {
        &self.any_program
    }

    /// Adds to `found` the allow rules for an argv, if all of its words are known.
    pub(crate) fn by_argv(&self, argv: &[Option<&str>], found: &mut Vec<usize>) {
        if self.exact.is_empty() {
            return;
        }
        if let Some(argv) = argv.iter().copied().collect::<Option<Vec<&str>>>() {
            extend(&self.exact, &argv.join("\0"), found);
        }
    }

    /// Adds to `found` the deny rules for an argv that begins with this name.
    pub(crate) fn by_exact_head(&self, base: &str, found: &mut Vec<usize>) {
        extend(&self.exact_heads, base, found);
    }

    /// Adds to `found` the allow rules for a program's content or its proven signer. Names in an ad-hoc or self-signed
    /// file prove nothing.
    pub(crate) fn by_proven_identity(&self, identity: &Identity, found: &mut Vec<usize>) {
        extend(&self.sha256, &identity.sha256, found);
        let Some(signature) = &identity.signature else { return };
        if let Some(signer) = signature.signer() {
            extend(&self.signed, &signed_key(&signer, &signature.signing_id), found);
        }
        if let Some(team) = signature.proven_team() {
            extend(&self.team_ids, team, found);
        }
    }

    /// Adds to `found` the deny rules for a program's content or its claimed signer.
    pub(crate) fn by_claimed_identity(&self, identity: &Identity, found: &mut Vec<usize>) {
        extend(&self.sha256, &identity.sha256, found);
        if !self.files.is_empty()
            && let Some(rules) = self.files.get(&(identity.device, identity.inode.clone()))
        {
            found.extend(rules);
        }
        if let Some(signature) = &identity.signature {
            let id = &signature.signing_id;
            extend(&self.signing_ids, id, found);
            extend(&self.signed, &signed_key(&Signer::Platform, id), found);
            if let Some(team) = &signature.team_id {
                extend(&self.signed, &signed_key(&Signer::Team(team.clone()), id), found);
                extend(&self.team_ids, team, found);
            }
        }
    }
}

fn signed_key(signer: &Signer, id: &str) -> String {
    match signer {
        Signer::Platform => format!("platform:{id}"),
        Signer::Team(team) => format!("{team}:{id}"),
    }
}

fn extend(map: &HashMap<Box<str>, RulePositions>, key: &str, found: &mut Vec<usize>) {
    if let Some(rules) = map.get(key) {
        found.extend(rules);
    }
}
