use super::*;
use crate::tests::{Place, reading, step, write_file};
use postern_command::Via;
use postern_policy::FoundProgram;
use postern_request::FolderProblem;
use std::os::unix::fs::symlink;

impl Place {
    fn file(&self, name: &str, content: &str, mode: u32) -> PathBuf {
        let path = self.path(name);
        write_file(&path, content, mode);
        path
    }

    fn script(&self, name: &str) -> PathBuf {
        self.file(name, "#!/bin/sh\nexit 0\n", 0o755)
    }

    fn cwd(&self) -> Cwd {
        Cwd::open(self.folder.path().to_str().unwrap()).unwrap()
    }

    /// Looks up with these folders of the place as search path.
    fn find(&self, name: &str, folders: &[&str]) -> Lookup {
        let search: Vec<String> =
            folders.iter().map(|folder| self.path(folder).to_str().unwrap().to_owned()).collect();
        self.resolver.look_up_program(name, &self.cwd(), &search)
    }

    fn facts(&self, step: Step) -> ResolvedRequest {
        self.resolver.resolve_command(
            &reading(vec![step]),
            &self.cwd(),
            &["/usr/bin".to_owned(), "/bin".to_owned()],
        )
    }
}

fn found(lookup: Lookup) -> FoundProgram {
    match lookup {
        Lookup::Found(program) => *program,
        other => panic!("not found: {other:?}"),
    }
}

fn wrong(lookup: Lookup) -> String {
    match lookup {
        Lookup::Unusable { what, .. } => what,
        other => panic!("neither there nor wrong: {other:?}"),
    }
}

#[test]
fn a_bare_name_is_the_first_on_the_search_path_that_can_be_executed() {
    let place = Place::new();
    place.file("a/tool", "#!/bin/sh\n", 0o644);
    std::fs::create_dir_all(place.path("b/tool")).unwrap();
    let first = place.script("c/tool");
    place.script("d/tool");
    let program = found(place.find("tool", &["a", "missing", "b", "c", "d"]));
    assert_eq!((program.path.as_str(), program.invoked.as_str()), (first.to_str().unwrap(), "tool"));
    let got = wrong(place.find("tool", &["a", "b"]));
    assert_eq!(got, "is not executable", "the first that is there is named");
    assert_eq!(place.find("other", &["a", "c"]), Lookup::NotFound);
}

#[test]
fn the_working_directory_is_not_searched() {
    let place = Place::new();
    place.script("tool");
    assert_eq!(place.find("tool", &["bin"]), Lookup::NotFound);
    assert_eq!(found(place.find("./tool", &[])).path, place.path("tool").to_str().unwrap());
}

#[test]
fn a_file_with_several_names_is_called_by_the_one_that_leads_to_it() {
    let place = Place::new();
    let first = place.script("bin/git");
    std::fs::hard_link(&first, place.path("bin/clang")).unwrap();
    symlink("bin/clang", place.path("cc")).unwrap();
    for (name, expected) in [("bin/git", "bin/git"), ("bin/clang", "bin/clang"), ("cc", "bin/clang")] {
        let program = found(place.find(&format!("./{name}"), &[]));
        let got = (program.real_path, program.links);
        assert_eq!(got, (place.path(expected).display().to_string(), 2), "{name}");
    }
}

#[test]
fn links_are_followed_for_the_real_path_and_kept_in_the_path() {
    let place = Place::new();
    let real = place.script("Cellar/tool/2.1/bin/tool");
    std::fs::create_dir(place.path("bin")).unwrap();
    symlink("../Cellar/tool/2.1/bin/tool", place.path("bin/tool")).unwrap();
    let program = found(place.find("tool", &["bin"]));
    assert_eq!(program.path, place.path("bin/tool").to_str().unwrap());
    assert_eq!(program.real_path, real.to_str().unwrap());
    assert_eq!(program.identity.unwrap().version.as_deref(), Some("2.1"));
}

#[test]
fn what_is_no_regular_program_is_named_and_never_waited_for() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(place.path("socket")).unwrap();
    place.file("plain", "echo hi\n", 0o755);
    place.file("empty", "", 0o755);
    place.file("odd", "#!relative/sh\n", 0o755);
    place.file("lost", "#!/no/such/interpreter\n", 0o755);
    place.script("one");
    place.file("two", &format!("#!{}\n", place.path("one").display()), 0o755);
    symlink("circle", place.path("circle")).unwrap();
    for (name, part) in [
        ("folder", "folder"),
        ("socket", "socket"),
        ("plain", "no known executable format"),
        ("empty", "no known executable format"),
        ("odd", "no absolute path"),
        ("lost", "interpreter in its `#!` line that does not exist"),
        ("two", "itself a script"),
        ("circle", "circle of links"),
    ] {
        let what = wrong(place.find(&format!("./{name}"), &[]));
        assert!(what.contains(part), "{name}: {what}");
    }
    assert!(wrong(place.find("/dev/null", &[])).contains("device"));
    for nothing in ["", "./missing", "a\0b", "./one/x"] {
        assert_eq!(place.find(nothing, &[]), Lookup::NotFound, "{nothing:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_is_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let place = Place::new();
    mknodat(CWD, place.path("fifo"), FileType::Fifo, Mode::from_raw_mode(0o755), 0).unwrap();
    assert!(
        wrong(place.find("./fifo", &[])).contains("FIFO"),
        "opening one blocks until somebody writes to it"
    );
}

#[test]
fn a_path_that_means_two_files_is_refused() {
    let place = Place::new();
    place.script("here/tool");
    place.script("there/tool");
    std::fs::create_dir(place.path("there/inner")).unwrap();
    symlink(place.path("there/inner"), place.path("here/link")).unwrap();
    // As text it is here/tool; walked, it is there/tool.
    assert!(wrong(place.find("./here/link/../tool", &[])).contains(".."));
    assert_eq!(found(place.find("./here/../here/tool", &[])).path, place.path("here/tool").to_str().unwrap());
}

#[test]
fn a_script_names_its_interpreter_which_is_held_too() {
    let place = Place::new();
    let path = place.script("tool");
    let resolved = place.facts(step(&[path.to_str().unwrap()]));
    let Lookup::Found(program) = &resolved.steps[0].program else { panic!("it is there") };
    assert_eq!(program.shebang, Some(vec!["/bin/sh".to_owned()]));
    let bound: Vec<String> = resolved.held.bound_programs().into_iter().map(|file| file.path).collect();
    assert_eq!(bound, [SHELL, path.to_str().unwrap(), "/bin/sh"], "what is started comes first");
}

#[test]
fn a_program_by_another_name_has_the_same_identity() {
    let place = Place::new();
    let path = place.script("tool");
    std::fs::hard_link(&path, place.path("other")).unwrap();
    let one = found(place.find("./tool", &[])).identity.unwrap();
    let two = found(place.find("./other", &[])).identity.unwrap();
    assert_eq!((one.inode, one.device, one.sha256), (two.inode, two.device, two.sha256));
}

#[test]
fn setuid_is_told() {
    let place = Place::new();
    place.file("tool", "#!/bin/sh\n", 0o4755);
    place.script("plain");
    assert!(found(place.find("./tool", &[])).setuid && !found(place.find("./plain", &[])).setuid);
}

#[test]
fn ones_own_file_is_mutable_even_when_it_is_read_only() {
    let place = Place::new();
    place.file("tool", "#!/bin/sh\n", 0o555);
    assert!(found(place.find("./tool", &[])).mutable);
}

#[test]
fn a_step_is_looked_up_where_it_runs() {
    let place = Place::new();
    let path = place.script("sub/tool");
    let under = Step { dir: Dir::Under("sub".into()), ..step(&["./tool"]) };
    let resolved = place.facts(under);
    assert!(
        matches!(&resolved.steps[0].program, Lookup::Found(program) if program.path == path.to_str().unwrap())
    );
    let unknown = |name: &str| {
        let step = Step { dir: Dir::Unknown, ..step(&[name]) };
        place.facts(step).steps.remove(0).program
    };
    assert_eq!(unknown("./tool"), Lookup::Nothing, "it could be any file");
    assert!(matches!(unknown("sh"), Lookup::Found(_)), "the search path does not depend on the folder");
}

#[test]
fn a_link_counts_in_each_folder_that_a_step_may_run_in() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("sub")).unwrap();
    symlink("/etc/passwd", place.path("sub/x")).unwrap();
    let either = Step { dir: Dir::OneOf(vec![".".into(), "sub".into()]), ..step(&["cat", "x"]) };
    let targets = place.facts(either).steps.remove(0).targets;
    assert!(
        targets.iter().any(|target| target.written == "x" && target.real.ends_with("/etc/passwd")),
        "{targets:?}"
    );
}

#[test]
fn wrappers_are_looked_up_and_what_runs_elsewhere_is_not() {
    let place = Place::new();
    let via = |name: &str, power| Via { argv: [Word::literal(name)].into(), power };
    let nohup = Step { via: vec![via("nohup", Power::Transparent)], ..step(&["ls"]) };
    let facts = place.facts(nohup).steps.remove(0);
    assert!(matches!((&facts.via[0], &facts.program), (Lookup::Found(_), Lookup::Found(_))));
    let remote = Step { via: vec![via("env", Power::Elsewhere)], ..step(&["ls"]) };
    assert_eq!(place.facts(remote).steps.remove(0).program, Lookup::Nothing);
}

#[test]
fn builtins_and_unknown_names_are_nothing_to_look_up() {
    let place = Place::new();
    let builtin = Step { role: Role::HarmlessBuiltin, ..step(&["cd", "x"]) };
    assert_eq!(place.facts(builtin).steps.remove(0).program, Lookup::Nothing);
    let dynamic = Step { argv: vec![Word { raw: "$X".into(), value: None }], ..step(&[]) };
    assert_eq!(place.facts(dynamic).steps.remove(0).program, Lookup::Nothing);
}

#[test]
fn a_script_operand_is_bound() {
    let place = Place::new();
    let path = place.file("x.sh", "echo hi\n", 0o644);
    let resolved = place.facts(Step { script: Some(1), ..step(&["sh", "x.sh"]) });
    let script = resolved.steps[0].script.as_ref().expect("it is there");
    assert_eq!((script.written.as_str(), script.real_path.as_str()), ("x.sh", path.to_str().unwrap()));
    assert_eq!(resolved.held.bound_scripts().len(), 1);
    assert_eq!(place.facts(Step { script: Some(1), ..step(&["sh", "missing"]) }).steps[0].script, None);
}

#[test]
fn a_plain_command_is_started_without_a_shell() {
    let place = Place::new();
    let argv = vec!["ls".to_owned(), "-l".to_owned()];
    let reading = ParsedCommand {
        text: "ls -l".into(),
        plain: Some(argv.clone()),
        ..reading(vec![step(&["ls", "-l"])])
    };
    let resolved = place.resolver.resolve_command(&reading, &place.cwd(), &["/bin".to_owned()]);
    assert_eq!(resolved.launch, Launch::Argv { argv });
    let got = resolved.held.bound_programs().len();
    assert_eq!(got, 1, "held once, though it is the started program and a step");
}

#[test]
fn a_working_directory_is_a_folder_that_can_be_entered() {
    let place = Place::new();
    let file = place.script("file");
    let open = |path: &Path| Cwd::open(path.to_str().unwrap()).map(|cwd| cwd.bound.path);
    assert_eq!(open(&place.path("missing")), Err(FolderProblem::Missing));
    assert_eq!(open(&file), Err(FolderProblem::NotAFolder));
    assert_eq!(open(&file.join("x")), Err(FolderProblem::NotAFolder));
    assert_eq!(open(Path::new("relative")), Err(FolderProblem::NotAbsolute));
    assert_eq!(open(Path::new("")), Err(FolderProblem::NotAbsolute));
    symlink(place.path(""), place.path("link")).unwrap();
    assert_eq!(open(&place.path("link")).unwrap(), place.path("").to_str().unwrap().trim_end_matches('/'));
}

#[test]
fn a_working_directory_knows_whether_its_path_still_leads_to_it() {
    let place = Place::new();
    std::fs::create_dir(place.path("folder")).unwrap();
    let cwd = Cwd::open(place.path("folder").to_str().unwrap()).unwrap();
    assert!(cwd.is_current());
    std::fs::rename(place.path("folder"), place.path("moved")).unwrap();
    std::fs::create_dir(place.path("folder")).unwrap();
    assert!(!cwd.is_current());
}

#[test]
fn what_the_agent_can_change_is_said_of_each_program() {
    let place = Place::new();
    place.script("tool");
    place.file("by_env", "#!/usr/bin/env tool\n", 0o755);
    symlink("/usr/bin/env", place.path("link")).unwrap();
    let home = place.folder.path().to_str().unwrap();
    let resolver =
        place.resolver.reached_by(AgentReach::of_agent(&[home.to_owned()], "/nowhere", "/nowhere"));
    let search = ["/usr/bin".to_owned(), place.path("").display().to_string()];
    let lookup = |name: &str, search: &[String]| {
        found(resolver.look_up_program(name, &place.cwd(), search)).agent_can_change
    };
    for (name, expected) in [("./tool", true), ("./by_env", true), ("./link", true), ("/usr/bin/env", false)]
    {
        assert_eq!(lookup(name, &search), expected, "{name}");
    }
    assert!(!lookup("env", &search), "found before the agent's folder");
    let first: Vec<String> = search.iter().rev().cloned().collect();
    assert!(lookup("env", &first), "the agent can put another one in front of it");
    assert!(!found(place.find("./tool", &[])).agent_can_change, "no agent asks");
}

#[test]
fn the_program_behind_env_is_known_by_every_form_of_its_line() {
    for (line, expected) in [
        ("python3", Some("python3")),
        ("A=1 python3", Some("python3")),
        ("-S deno run -A", Some("deno")),
        ("-Sdeno run", Some("deno")),
        ("-vS A=b ./tool x", Some("./tool")),
        ("--split-string=uv run", Some("uv")),
        ("-S", None),
    ] {
        assert_eq!(lookup::started_by_env(&[line.to_owned()]), expected, "{line}");
    }
}

#[cfg(target_os = "macos")]
#[test]
#[ignore = "needs a Mac"]
fn mac_names_that_only_the_kernel_knows_lead_to_the_file() {
    use std::os::unix::fs::MetadataExt as _;
    let place = Place::new();
    let file = place.file("f", "content", 0o644);
    let meta = std::fs::metadata(&file).unwrap();
    for name in [format!("/.nofollow{}", file.display()), format!("/.vol/{}/{}", meta.dev(), meta.ino())] {
        assert_eq!(super::targets::resolve_real(std::path::Path::new(&name)).as_ref(), Some(&file), "{name}");
    }
}
