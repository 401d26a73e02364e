//! The programs that would run, as a person is shown them.

use super::super::judge::JudgedRequest;
use super::text::{shown_path, to_pieces};
use postern_command::escape::visible_text;
use postern_command::{Power, ProgramClass, Via, class_of};
use postern_contract::render::{self, ProgramRemark};
use postern_contract::{ShownProgram, ShownScript, ShownText};
use postern_policy::{FoundProgram, Lookup, Signature, Signer, StepFacts};

/// Returns every program, wrappers included, each once, in the order in which they stand in the command.
pub(super) fn programs(judged: &JudgedRequest, home: &str) -> Vec<ShownProgram> {
    let mut all: Vec<ShownProgram> = Vec::new();
    for (step, facts) in judged.reading.steps.iter().zip(&judged.steps) {
        for (via, lookup) in step.via.iter().zip(&facts.via) {
            push_program(&mut all, lookup, None, power_remark(via), home);
        }
        let path = match (&facts.script, &facts.program) {
            (Some(script), _) => Some(&script.real_path),
            // A program that is a script shows what it does as well.
            (None, Lookup::Found(program)) => Some(&program.real_path),
            (None, Lookup::NotFound | Lookup::Unusable { .. } | Lookup::Nothing) => None,
        };
        let script = path.and_then(|path| shown_script(path, judged, home));
        push_program(&mut all, &facts.program, script, None, home);
    }
    all
}

/// Returns the files that the agent can change until it runs, each once, as it was written.
pub(super) fn changeable(judged: &JudgedRequest) -> Vec<ShownText> {
    let mut all: Vec<&str> = Vec::new();
    for name in judged.steps.iter().flat_map(StepFacts::changeable) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all.into_iter().map(to_pieces).collect()
}

fn push_program(
    all: &mut Vec<ShownProgram>,
    lookup: &Lookup,
    script: Option<ShownScript>,
    remark: Option<ProgramRemark>,
    home: &str,
) {
    let program = match lookup {
        Lookup::Found(program) => shown_program(program, script, remark, home),
        Lookup::Unusable { path, what } => missing(path, what, home),
        Lookup::NotFound | Lookup::Nothing => return,
    };
    if !all.contains(&program) {
        all.push(program);
    }
}

fn shown_program(
    program: &FoundProgram,
    script: Option<ShownScript>,
    remark: Option<ProgramRemark>,
    home: &str,
) -> ShownProgram {
    let identity = program.identity.as_ref();
    let signature = identity.and_then(|identity| identity.signature.as_ref());
    let mut remarks: Vec<ProgramRemark> = remark.into_iter().collect();
    let name = program.real_path.rsplit('/').next().unwrap_or_default();
    remarks.extend(class_remark(class_of(name)));
    if program.setuid {
        remarks.push(ProgramRemark::OtherUser);
    }
    if let Some(interpreter) = program.shebang.as_ref().and_then(|words| interpreter_of(words)) {
        remarks.push(ProgramRemark::Script { interpreter: interpreter.to_owned() });
    }
    ShownProgram {
        name: to_pieces(&program.invoked),
        path: shown_path(&program.path, home),
        real_path: (program.real_path != program.path).then(|| shown_path(&program.real_path, home)),
        version: identity.and_then(|identity| identity.version.as_deref().map(visible_text)),
        short_hash: identity.map(|identity| short_hash(&identity.sha256)),
        signer: signature.and_then(Signature::signer).map(|signer| match signer {
            Signer::Platform => to_pieces("Apple"),
            Signer::Team(team) => to_pieces(&team),
        }),
        remarks: remarks.iter().map(render::remark).collect(),
        script,
    }
}

/// Returns what runs a script by its first line: the program behind `env`, if that is what the line names.
fn interpreter_of(words: &[String]) -> Option<&str> {
    let (first, rest) = words.split_first()?;
    let behind = rest.iter().find(|word| !word.starts_with('-') && !word.contains('='));
    Some(if first.ends_with("/env") { behind.unwrap_or(first) } else { first })
}

fn missing(path: &str, what: &str, home: &str) -> ShownProgram {
    ShownProgram {
        name: to_pieces(path.rsplit('/').next().unwrap_or_default()),
        path: shown_path(path, home),
        real_path: None,
        version: None,
        short_hash: None,
        signer: None,
        remarks: vec![render::remark(&ProgramRemark::Unusable { what: what.to_owned() })],
        script: None,
    }
}

fn shown_script(real_path: &str, judged: &JudgedRequest, home: &str) -> Option<ShownScript> {
    let script = judged.context.scripts.iter().find(|script| script.real_path == real_path)?;
    Some(ShownScript {
        path: shown_path(&script.real_path, home),
        sha256: script.sha256.clone(),
        preview: script.lines.iter().map(|line| to_pieces(line)).collect(),
        more: script.more,
        state: script.state,
    })
}

fn short_hash(sha256: &str) -> String {
    sha256.chars().take(8).collect()
}

fn class_remark(class: ProgramClass) -> Option<ProgramRemark> {
    match class {
        ProgramClass::Ordinary => None,
        ProgramClass::Shell => Some(ProgramRemark::Shell),
        ProgramClass::Interpreter => Some(ProgramRemark::Interpreter),
        ProgramClass::Wrapper => Some(ProgramRemark::Wrapper),
        ProgramClass::Multicall => Some(ProgramRemark::Multicall),
    }
}

fn power_remark(via: &Via) -> Option<ProgramRemark> {
    match via.power {
        Power::Transparent => None,
        Power::Elevated => Some(ProgramRemark::MoreRights),
        Power::Elsewhere => Some(ProgramRemark::Elsewhere),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use postern_policy::Identity;

    /// A version is the name of a folder, which an agent may have made.
    #[test]
    fn a_version_shows_what_is_hidden_in_it() {
        let identity = Identity {
            sha256: "0".repeat(64),
            size: 1,
            mtime_ns: "1".to_owned(),
            ctime_ns: "1".to_owned(),
            device: 1,
            inode: "1".to_owned(),
            version: Some("1.2\u{202e}3".to_owned()),
            signature: None,
        };
        let program = FoundProgram {
            invoked: "tool".to_owned(),
            path: "/opt/tool".to_owned(),
            real_path: "/opt/tool".to_owned(),
            identity: Some(identity),
            shebang: None,
            mutable: true,
            agent_can_change: true,
            links: 1,
            setuid: false,
            shell_only: false,
        };
        let shown = shown_program(&program, None, None, "/Users/u");
        assert_eq!(shown.version.as_deref(), Some("1.2\\u{202e}3"));
    }
}
