//! The programs that would run, as a person is shown them.

use super::super::judge::Judged;
use super::text::{shown, shown_path};
use postern_command::{Class, Power, Via, class_of};
use postern_contract::render::{self, Remark};
use postern_contract::{Shown, ShownProgram, ShownScript};
use postern_policy::{Lookup, Program, Script, Signature, Signer, StepFacts};

/// Returns every program, wrappers included, each once, in the order in which they stand in the command.
pub(super) fn programs(judged: &Judged, home: &str) -> Vec<ShownProgram> {
    let mut all: Vec<ShownProgram> = Vec::new();
    for (step, facts) in judged.reading.steps.iter().zip(&judged.steps) {
        for (via, lookup) in step.via.iter().zip(&facts.via) {
            add(&mut all, lookup, None, power(via), home);
        }
        let script = facts.script.as_ref().map(|script| shown_script(script, judged, home));
        add(&mut all, &facts.program, script, None, home);
    }
    all
}

/// Returns the files that the agent can change until it runs, each once, as it was written.
pub(super) fn changeable(judged: &Judged) -> Vec<Shown> {
    let mut all: Vec<&str> = Vec::new();
    for name in judged.steps.iter().flat_map(StepFacts::changeable) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.into_iter().map(shown).collect()
}

fn add(
    all: &mut Vec<ShownProgram>,
    lookup: &Lookup,
    script: Option<ShownScript>,
    remark: Option<Remark>,
    home: &str,
) {
    let program = match lookup {
        Lookup::Found(program) => found(program, script, remark, home),
        Lookup::Unusable { path, what } => missing(path, what, home),
        Lookup::NotFound | Lookup::Nothing => return,
    };
    if !all.contains(&program) {
        all.push(program);
    }
}

fn found(program: &Program, script: Option<ShownScript>, remark: Option<Remark>, home: &str) -> ShownProgram {
    let identity = program.identity.as_ref();
    let signature = identity.and_then(|identity| identity.signature.as_ref());
    let mut remarks: Vec<Remark> = remark.into_iter().collect();
    let name = program.real_path.rsplit('/').next().unwrap_or_default();
    remarks.extend(class(class_of(name)));
    if program.setuid {
        remarks.push(Remark::OtherUser);
    }
    if let Some(interpreter) = program.shebang.as_ref().and_then(|words| words.first()) {
        remarks.push(Remark::Script { interpreter: interpreter.clone() });
    }
    ShownProgram {
        name: shown(&program.invoked),
        path: shown_path(&program.path, home),
        real_path: (program.real_path != program.path).then(|| shown_path(&program.real_path, home)),
        version: identity.and_then(|identity| identity.version.clone()),
        short_hash: identity.map(|identity| short(&identity.sha256)),
        signer: signature.and_then(Signature::signer).map(|signer| match signer {
            Signer::Platform => shown("Apple"),
            Signer::Team(team) => shown(&team),
        }),
        remarks: remarks.iter().map(render::remark).collect(),
        script,
    }
}

fn missing(path: &str, what: &str, home: &str) -> ShownProgram {
    ShownProgram {
        name: shown(path.rsplit('/').next().unwrap_or_default()),
        path: shown_path(path, home),
        real_path: None,
        version: None,
        short_hash: None,
        signer: None,
        remarks: vec![render::remark(&Remark::Unusable { what: what.to_owned() })],
        script: None,
    }
}

fn shown_script(script: &Script, judged: &Judged, home: &str) -> ShownScript {
    let lines = judged.previews.iter().find(|(path, _)| *path == script.real_path).map(|(_, lines)| lines);
    ShownScript {
        path: shown_path(&script.real_path, home),
        short_hash: short(&script.identity.sha256),
        preview: lines.into_iter().flatten().map(|line| shown(line)).collect(),
    }
}

fn short(sha256: &str) -> String {
    sha256.chars().take(8).collect()
}

fn class(class: Class) -> Option<Remark> {
    match class {
        Class::Ordinary => None,
        Class::Shell => Some(Remark::Shell),
        Class::Interpreter => Some(Remark::Interpreter),
        Class::Wrapper => Some(Remark::Wrapper),
        Class::Multicall => Some(Remark::Multicall),
    }
}

fn power(via: &Via) -> Option<Remark> {
    match via.power {
        Power::Transparent => None,
        Power::Elevated => Some(Remark::MoreRights),
        Power::Elsewhere => Some(Remark::Elsewhere),
    }
}
