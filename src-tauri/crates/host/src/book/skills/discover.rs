//! Skills in the skill folders at this moment. Reads the disk.

use super::front_matter::{self, FrontMatter};
use postern_exec::resolve::{Cwd, Resolver, search_path};
use postern_exec::small_file;
use postern_policy::Lookup;
use postern_store::skills::{Skill, StoredSkillCli};
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// Levels below a named folder in which skills are found.
const DEEPEST: usize = 3;
const MOST: usize = 500;
/// The most that is read of a `SKILL.md`, in bytes: the front matter is at its beginning.
const LONGEST: u64 = 64 * 1024;

/// Fate of approved CLIs when a skill gets a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnProblem {
    /// Kept: the user may be in the middle of a change.
    KeepApproved,
    /// Removed: an agent can write there.
    Forget,
}

/// Finds every skill in `folders`, with its CLIs and their identities. `in_reach` returns why a folder cannot
/// hold skills, because an agent could write one there.
pub(super) fn discover(
    folders: &[String],
    resolver: &Resolver,
    home: &str,
    in_reach: impl Fn(&Path) -> Option<String>,
) -> Vec<(Skill, OnProblem)> {
    let mut found = BTreeMap::new();
    for folder in folders {
        walk_folder(Path::new(folder), 0, &mut found);
    }
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    let mut skills = Vec::with_capacity(found.len());
    for (folder, read) in found {
        let folder = folder.to_string_lossy().into_owned();
        let reached = in_reach(Path::new(&folder));
        let on_problem = if reached.is_some() { OnProblem::Forget } else { OnProblem::KeepApproved };
        let mut skill = skill_of(&folder, reached.map_or(read, Err), resolver, home);
        // Approving goes by name: a second skill of the same name must not ride on the first one's.
        if let Some(first) = names.get(&skill.name) {
            skill.problem = Some(format!("{first} has a skill of this name already"));
            skill.clis.clear();
            skill.name = format!("{} ({folder})", skill.name);
        } else {
            names.insert(skill.name.clone(), folder);
        }
        skills.push((skill, on_problem));
    }
    skills
}

/// Content of a `SKILL.md`, or its fault.
type FrontMatterResult = Result<FrontMatter, String>;

fn walk_folder(folder: &Path, depth: usize, found: &mut BTreeMap<PathBuf, FrontMatterResult>) {
    if depth > DEEPEST || found.len() >= MOST {
        return;
    }
    match read_skill_file(&folder.join("SKILL.md")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => {
            found.insert(folder.to_owned(), Err(format!("SKILL.md cannot be read: {error}")));
            return;
        }
        Ok(text) => {
            found.insert(
                folder.to_owned(),
                front_matter::parse_front_matter(&text).map_err(|error| error.to_string()),
            );
            return;
        }
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let folders = entries.flatten().filter(|entry| {
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        !hidden && entry.file_type().is_ok_and(|kind| kind.is_dir())
    });
    let mut below: Vec<PathBuf> = folders.map(|entry| entry.path()).collect();
    below.sort();
    for folder in below {
        walk_folder(&folder, depth + 1, found);
    }
}

fn read_skill_file(path: &Path) -> io::Result<String> {
    let file = small_file::open_regular(path)?;
    let mut bytes = Vec::new();
    file.take(LONGEST).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn skill_of(folder: &str, read: FrontMatterResult, resolver: &Resolver, home: &str) -> Skill {
    let own_name = Path::new(folder)
        .file_name()
        .map_or_else(|| folder.to_owned(), |name| name.to_string_lossy().into_owned());
    let (front, problem) = match read {
        Ok(front) => (front, None),
        Err(problem) => (FrontMatter::default(), Some(problem)),
    };
    Skill {
        folder: folder.to_owned(),
        name: front.name.unwrap_or(own_name),
        description: front.description,
        problem,
        clis: front.clis.into_iter().map(|name| cli_of(name, resolver, home)).collect(),
    }
}

fn cli_of(name: String, resolver: &Resolver, home: &str) -> StoredSkillCli {
    let found = match Cwd::open(home) {
        Ok(cwd) => resolver.like_shell().look_up_program(&name, &cwd, &search_path(&[], home)),
        Err(_) => Lookup::NotFound,
    };
    let (path, seen) = match found {
        Lookup::Found(program) => (Some(program.path), program.identity),
        Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing => (None, None),
    };
    StoredSkillCli { name, path, seen, approved: None, approved_at: None, rule: None }
}
