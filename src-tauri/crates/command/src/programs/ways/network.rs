//! Tools that talk to other machines.

use super::tool::{Tool, row, strict, tool, words};
use crate::ArgEffect::{
    Changes, Code, Config, Loads, Reads, Remote, Runs, Secrets, Sends, Serves, Shell, Writes,
};

pub(super) const TOOLS: &[Tool] = &[
    strict(tool(
        &["curl"],
        "-A: -C: -e: -H: -m: -r: -t: -u: -U: -w: -X: -y: -Y: -z: --header: --user: --user-agent: --max-time: --connect-timeout: \
         --retry: --retry-delay: --retry-max-time: --retry-connrefused --retry-all-errors --referer: --request: --url: --write-out: \
         --range: --limit-rate: --max-redirs: --max-filesize: --proto: --proto-redir: --proto-default: --ciphers: \
         --tls-max: --tls13-ciphers: --keepalive-time: --speed-limit: --speed-time: --time-cond: --expect100-timeout: \
         --rate: --parallel-max: --oauth2-bearer: --aws-sigv4: -s -S -L -f -k -v -i -I -g -4 -6 -0 -1 -2 -3 -# -G -N -q -Z -l -B -R -p \
         --silent --show-error --location --fail --fail-with-body --fail-early --insecure --verbose --include --head --globoff \
         --ipv4 --ipv6 --http1.0 --http1.1 --http2 --http2-prior-knowledge --http3 --http3-only --progress-bar --no-progress-meter \
         --get --no-buffer --disable --parallel --parallel-immediate --list-only --compressed --compressed-ssh --ssl --ssl-reqd \
         --tlsv1 --tlsv1.0 --tlsv1.1 --tlsv1.2 --tlsv1.3 --tcp-fastopen --tcp-nodelay --path-as-is --raw --tr-encoding --ignore-content-length \
         --basic --digest --anyauth --ntlm --negotiate --cert-status --next -: --post301 --post302 --post303 --location-trusted \
         --trace-time --trace-ids --styled-output --no-keepalive --no-sessionid --sessionid --remote-time --junk-session-cookies -j \
         --create-dirs --remove-on-error --no-clobber --skip-existing --remote-header-name -J --manual -M -V -h? --noproxy:",
        &[
            row(
                "-o -O --output --output-dir --remote-name --remote-name-all",
                Writes,
                "curl(1); GTFOBins curl",
            ),
            row(
                "-D -c --dump-header --cookie-jar --trace --trace-ascii --stderr --libcurl",
                Writes,
                "curl(1)",
            ),
            row("--etag-save --hsts --alt-svc --ssl-sessions", Writes, "curl(1)"),
            row("-K --config", Config, "curl(1): options from a file"),
            row("-T --upload-file -F --form --form-string", Sends, "curl(1); GTFOBins curl"),
            row(
                "-d --data --data-ascii --data-raw --data-binary --data-urlencode --url-query --json",
                Sends,
                "curl(1): also @FILE",
            ),
            row(
                "-Q --quote --prequote --postquote --mail-from --mail-rcpt --telnet-option",
                Sends,
                "curl(1)",
            ),
            row("--engine --krb --proxy-negotiate", Loads, "curl(1): OpenSSL engines are libraries"),
            row(
                "--unix-socket --abstract-unix-socket",
                Remote,
                "curl(1): a service's socket, such as docker.sock",
            ),
            row("-n --netrc --netrc-file --netrc-optional --delegation", Secrets, "curl(1)"),
            row("^file:// ^FILE:// ^@", Reads, "curl(1); GTFOBins curl"),
            row(
                "^scp:// ^sftp:// ^telnet:// ^dict:// ^gopher:// ^smb:// ^smtp://",
                Sends,
                "curl(1): other protocols",
            ),
            row(
                "-x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --proxy1.0 --doh-url --dns-servers --resolve --connect-to --interface",
                Remote,
                "curl(1): by way of another machine",
            ),
            row(
                "-E --cert --key --cacert --capath --crlfile --pinnedpubkey --pass --variable -b --cookie --random-file --egd-file --login-options",
                Reads,
                "curl(1): files that are read, and sent",
            ),
        ],
    )),
    tool(
        &["wget", "wget2"],
        "-O: -T: -t: -U: --output-document: --timeout: --tries: --user-agent: --quiet --server-response --no-verbose",
        &[
            row("--use-askpass --use-server-timestamps", Runs, "wget(1); GTFOBins wget"),
            row("-e --execute --config", Config, "wget(1): lines of wgetrc"),
            row("--post-file --body-file --post-data --body-data", Sends, "wget(1); GTFOBins wget"),
            row("-i --input-file", Reads, "wget(1); GTFOBins wget"),
        ],
    ),
    tool(
        &[
            "aria2c",
            "axel",
            "lftp",
            "ncftp",
            "ftp",
            "tftp",
            "http",
            "https",
            "xh",
            "httpie",
            "yt-dlp",
            "youtube-dl",
        ],
        "",
        &[
            row(
                "--exec --on-download-complete --on-download-start -c -e --exec-before-download",
                Shell,
                "aria2c(1), lftp(1), yt-dlp: their documentation; GTFOBins ftp",
            ),
            row("*", Writes, "they write what they fetch, or send what they are given"),
        ],
    ),
    tool(
        &["ssh", "autossh", "mosh", "sshpass", "slogin", "dbclient", "et"],
        "-B: -b: -c: -D: -E: -e: -F: -I: -i: -J: -L: -l: -m: -O: -o: -P: -p: -Q: -R: -S: -W: -w:",
        &[
            row(
                "-o",
                Config,
                "ssh(1), ssh_config(5): ProxyCommand, LocalCommand, KnownHostsCommand; GTFOBins ssh",
            ),
            row("-F", Config, "ssh(1): another configuration"),
            row("-I", Loads, "ssh(1): a PKCS#11 library"),
            row("-E -S", Writes, "ssh(1): log file, control socket"),
            row("-L -R -D -W -w", Serves, "ssh(1): forwards ports"),
            row("-J --ssh --server", Remote, "ssh(1), mosh(1)"),
            row("-A -X -Y", Secrets, "ssh(1): lends the agent or the screen"),
            row("#1", Remote, "ssh(1): a shell or a command on another machine"),
        ],
    ),
    tool(
        &["scp", "sftp"],
        "",
        &[
            row(
                "-S -o -F -D -b",
                Runs,
                "scp(1), sftp(1): program, options, configuration; GTFOBins scp, sftp",
            ),
            row("*", Remote, "scp(1), sftp(1)"),
        ],
    ),
    tool(
        &["ssh-keygen", "ssh-add", "ssh-copy-id", "ssh-keyscan"],
        "",
        &[
            row("-D -s -w", Loads, "ssh-keygen(1), ssh-add(1): libraries; GTFOBins ssh-keygen"),
            row("*", Secrets, "ssh-keygen(1), ssh-add(1): makes and reads keys"),
        ],
    ),
    tool(
        &[
            "nc",
            "ncat",
            "netcat",
            "socat",
            "telnet",
            "rlogin",
            "rsh",
            "websocat",
            "chisel",
            "ngrok",
            "cloudflared",
            "gs-netcat",
        ],
        "",
        &[
            row(
                "-e -c --exec --sh-exec --lua-exec ^EXEC: ^SYSTEM: ~,EXEC: ~EXEC: ~SYSTEM:",
                Shell,
                "ncat(1), socat(1); GTFOBins nc, socat, telnet",
            ),
            row("*", Serves, "nc(1), socat(1): opens or serves a connection"),
        ],
    ),
    words(
        &["openssl"],
        "",
        &[
            row("-engine -provider -provider-path", Loads, "openssl(1); GTFOBins openssl"),
            row(
                "!version,list,help,dgst,sha256,md5,prime,rand,ciphers,x509",
                Secrets,
                "openssl(1): keys, servers, files; GTFOBins openssl",
            ),
            row("-out -writerand -keyout", Writes, "openssl(1)"),
            row(
                "-sign -prverify -hmac -mac -macopt -passin -config -rand",
                Secrets,
                "openssl(1): keys, passwords, settings",
            ),
        ],
    ),
    tool(
        &["gpg", "gpg2", "age", "pass", "bw", "vault", "sops", "keyring"],
        "",
        &[
            row("exec-env exec-file --agent-program --pinentry-program", Runs, "sops: its README; gpg(1)"),
            row("*", Secrets, "gpg(1), pass(1), op, vault: keys and passwords; pinentry and agent programs"),
        ],
    ),
    tool(
        &["nmap", "masscan", "zmap"],
        "",
        &[
            row("--script --interactive --servicedb --datadir", Code, "nmap(1); GTFOBins nmap"),
            row("-oN -oX -oG -oA -oS", Writes, "nmap(1)"),
            row("-iL --excludefile", Reads, "nmap(1)"),
        ],
    ),
    tool(
        &["tcpdump", "tshark", "dumpcap", "wireshark", "ngrep"],
        "-i: -c: -s:",
        &[
            row("-z", Runs, "tcpdump(1); GTFOBins tcpdump"),
            row("-w", Writes, "tcpdump(1)"),
            row("-F -r -X", Reads, "tcpdump(1), tshark(1): -X runs Lua"),
        ],
    ),
    tool(
        &["op"],
        "",
        &[
            row("run plugin.run", Runs, "op run: 1Password's documentation"),
            row("*", Secrets, "op: 1Password's documentation"),
        ],
    ),
    tool(
        &["dig", "nslookup", "host", "delv"],
        "-t: -p: -c: -q:",
        &[row("-f -k", Reads, "dig(1); GTFOBins dig")],
    ),
    tool(
        &["ping", "traceroute", "mtr", "arp", "whois", "finger"],
        "-c: -i: -W: -t: -s:",
        &[row("-F --filename", Reads, "mtr(8); GTFOBins arp, whois, finger")],
    ),
    tool(
        &["ip", "ss", "nft", "iptables", "ip6tables", "bpftool", "tc", "route"],
        "",
        &[
            row("-force -batch -b", Reads, "ip(8); GTFOBins ip"),
            row("netns.exec n.exec vrf.exec", Runs, "ip-netns(8), ip-vrf(8), tc(8); GTFOBins ip"),
            row("-F -K --kill -D --diag", Changes, "ss(8): GTFOBins ss"),
            row("--modprobe", Runs, "iptables(8); GTFOBins iptables-save"),
            row(
                "-A --append -D --delete -I --insert -R --replace --flush -Z --zero -N --new-chain -X --delete-chain -P --policy \
                 -E --rename-chain",
                Changes,
                "iptables(8)",
            ),
            row("-f --file -i --interactive", Reads, "nft(8)"),
        ],
    ),
    words(
        &["ifconfig"],
        "-a -l -L -u -d -m -r -v -X:",
        &[row("#2", Changes, "ifconfig(8): everything but showing")],
    ),
    tool(
        &["mail", "mailx", "mutt", "sendmail", "msmtp", "swaks", "exim", "postfix"],
        "",
        &[
            row("--exec --execute -C --config -F", Code, "mail(1): GTFOBins mail, sendmail"),
            row("*", Sends, "mail(1), sendmail(8)"),
        ],
    ),
    tool(
        &["lynx", "links", "w3m", "elinks"],
        "",
        &[row("*", Config, "lynx(1), w3m(1): viewers and shells; GTFOBins lynx")],
    ),
    tool(&["irssi", "weechat", "znc"], "", &[row("*", Code, "irssi(1): /exec")]),
    tool(
        &["certbot", "acme.sh", "mkcert", "step"],
        "",
        &[row("*", Shell, "certbot: --pre-hook and others; mkcert installs a root")],
    ),
];
