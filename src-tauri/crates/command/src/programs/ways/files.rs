//! Tools that find, move, pack and write files.

use super::tool::{Style, Tool, mild, row, strict, tool, words};
use crate::ArgEffect::{Changes, Code, Config, Deletes, Loads, Reads, Remote, Runs, Shell, Writes};

pub(super) const TOOLS: &[Tool] = &[
    strict(words(
        &["find"],
        "-name: -iname: -path: -ipath: -wholename: -iwholename: -regex: -iregex: -type: -xtype: -newer: -anewer: -cnewer: -mtime: \
         -mmin: -atime: -amin: -ctime: -cmin: -Btime: -Bmin: -Bnewer: -size: -maxdepth: -mindepth: -perm: -user: -group: -uid: \
         -gid: -printf: -lname: -ilname: -links: -inum: -samefile: -fstype: -regextype: -used: -flags: -xattrname: -depth? \
         -newermt: -neweram: -newercm: -newerat: -newerct: -newerBt: -neweraa: -newermm: -newercc: -d -x -X -H -L -P -E -s -O0 -O1 -O2 -O3 \
         -a -and -o -or -not -empty -true -false -print -print0 -ls -prune -quit -mount -xdev -follow -nouser -nogroup -noleaf \
         -readable -writable -executable -daystart -ignore_readdir_race -noignore_readdir_race -warn -nowarn -acl -sparse \
         -help -version -exec -execdir -ok -okdir",
        &[
            row("=-delete", Deletes, "find(1); GTFOBins find"),
            row("^-fprint =-fls", Writes, "find(1); GTFOBins find"),
            row("=-files0-from", Reads, "find(1): GNU findutils 4.9"),
        ],
    )),
    tool(
        &["fd", "fdfind"],
        "-d: -t: -e: -E: -S: -c: -j: -o: --max-depth: --type: --extension: --exclude: --size: --color: --threads: --owner: \
         --changed-within: --changed-before: --max-results: --min-depth: --format:",
        &[
            row("--base-directory/ -C/", Reads, "fd(1): searches elsewhere"),
            row("--search-path/ --ignore-file/", Reads, "fd(1)"),
            row("-l --list-details", Runs, "fd(1): runs ls"),
        ],
    ),
    mild(
        &["ls", "eza", "exa", "lsd"],
        "-I: -w: -T: --hide: --ignore: --color? --format: --sort: --time: --width:",
        &[row("--config-file", Config, "lsd: its README")],
    ),
    mild(
        &["cp", "mv", "ln", "link", "install", "ditto"],
        "-S: -m: -o: -g: --suffix: --backup? --mode: --owner: --group:",
        &[
            row("-t/ --target-directory/", Writes, "cp(1), mv(1), ln(1), install(1): GNU coreutils"),
            row("--strip-program", Runs, "install(1): GNU coreutils; GTFOBins install"),
            row("-z -x -k", Writes, "ditto(1): macOS, archives"),
        ],
    ),
    mild(
        &["mkdir", "touch", "rmdir"],
        "-m: -t: -r: -d: --mode: --date: --reference:",
        &[row("-Z --context", Changes, "mkdir(1): GNU coreutils")],
    ),
    tool(
        &["chmod", "chown", "chgrp", "chflags"],
        "",
        &[
            row("--reference", Reads, "chmod(1): GNU coreutils; GTFOBins chmod"),
            row("^u+s ^g+s ^+s ^a+s ^u=s ^ug+s", Changes, "chmod(1): rights of another user"),
        ],
    ),
    tool(
        &["truncate", "shred", "fallocate", "mkfifo", "mknod", "unlink"],
        "",
        &[row("*", Writes, "truncate(1), shred(1), fallocate(1), mknod(1)")],
    ),
    tool(
        &["dd"],
        "",
        &[row("^of=", Writes, "dd(1); GTFOBins dd"), row("^if=/dev/", Reads, "dd(1): a device")],
    ),
    Tool {
        style: Style::Bundled,
        ..tool(
            &["tar", "bsdtar", "gnutar", "star"],
            "-f: -b: -H: -L: -N: -V: -X: -T: --file: --exclude: --strip-components: --format: --transform: --xform: -s: \
             --mode: --owner: --group: --mtime: --blocking-factor: --label: --to-stdout --totals? --checkpoint? --list",
            &[
                row("--checkpoint-action", Shell, "tar(1): GNU; GTFOBins tar"),
                row("--to-command", Shell, "tar(1): GNU; GTFOBins tar"),
                row("-I --use-compress-program", Runs, "tar(1): GNU, bsdtar; GTFOBins tar"),
                row("-F --info-script --new-volume-script", Runs, "tar(1): GNU"),
                row("--rmt-command --rsh-command", Runs, "tar(1): GNU; GTFOBins tar"),
                row("-P --absolute-names --absolute-paths", Writes, "tar(1): absolute paths"),
                row("-C/ --directory/ --cd/ --one-top-level/", Writes, "tar(1): another folder"),
                row("--index-file --volno-file --listed-incremental -g", Writes, "tar(1): GNU"),
                row("--remove-files --recursive-unlink --unlink-first", Deletes, "tar(1): GNU"),
                row("-T --files-from", Config, "tar(1): GNU reads options from that file; GTFOBins tar"),
                row("--add-file/", Reads, "tar(1)"),
                row("--options", Config, "bsdtar(1)"),
            ],
        )
    },
    tool(
        &["zip"],
        "-i: -x: -n: -t: -s: -b: -P: -sf:",
        &[
            row("-TT --unzip-command -T --test", Shell, "zip(1); GTFOBins zip"),
            row("#1/ -O --output-file --out -lf --logfile-path", Writes, "zip(1)"),
            row("-m --move", Deletes, "zip(1): removes what it packed"),
        ],
    ),
    tool(
        &["unzip", "unar", "unrar", "bsdunzip"],
        "-x: -P:",
        &[row("-d/ -o/", Writes, "unzip(1): another folder")],
    ),
    tool(
        &["7z", "7za", "7zr", "7zz", "p7zip"],
        "",
        &[
            row("-o/ -w/", Writes, "7z: its manual"),
            row("-sdel", Deletes, "7z: its manual"),
            row("^@ -i -ai", Reads, "7z: its manual; GTFOBins 7z"),
            row("^-sfx", Loads, "7z: its manual"),
            row("^-spf", Writes, "7z: its manual: paths as the archive has them"),
            row("^-sdel", Deletes, "7z: its manual"),
            row("a:#/ u:#/ d:#/ rn:#/", Writes, "7z: its manual: an archive elsewhere, or files from there"),
        ],
    ),
    tool(
        &[
            "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "lz4", "brotli", "pigz",
            "compress",
        ],
        "-S: -T:",
        &[
            row(
                "-o/ --output/ --output-dir-flat/ --output-dir-mirror/",
                Writes,
                "zstd(1), lz4(1), brotli(1)",
            ),
            row("--files --files0 --filelist", Reads, "xz(1), zstd(1)"),
            row("--rm", Deletes, "zstd(1)"),
        ],
    ),
    tool(
        &["cpio", "pax"],
        "",
        &[
            row("--rsh-command", Runs, "cpio(1): GNU; GTFOBins cpio"),
            row("*", Writes, "cpio(1), pax(1): writes and links the files it is told"),
        ],
    ),
    tool(
        &["ar", "libtool", "ranlib", "strip", "objcopy"],
        "",
        &[
            row("--plugin", Loads, "ar(1), strip(1): binutils"),
            row(
                "--mode =execute =execut =execu =exec =exe =ex =e",
                Runs,
                "libtool(1): GNU: runs what stands behind it; the mode by its name alone",
            ),
            row("^@", Reads, "binutils: options from a file"),
            row("-o/ #2/", Writes, "objcopy(1), strip(1), libtool(1)"),
            row("--dump-section", Writes, "objcopy(1)"),
        ],
    ),
    tool(
        &["rsync"],
        "-f: -B: -T: -M: --exclude: --include: --filter: --port: --timeout: --bwlimit: --chmod: --chown: --max-size: --info: \
         --min-size: --out-format: --suffix: --block-size: --partial --backup --log --temp",
        &[
            row("-e --rsh", Runs, "rsync(1); GTFOBins rsync"),
            row("--rsync-path", Runs, "rsync(1)"),
            row("--daemon --config --dparam", Config, "rsync(1): pre-xfer exec of rsyncd.conf"),
            row("-M --remote-option", Runs, "rsync(1)"),
            row(
                "--log-file --write-batch --only-write-batch --backup-dir/ --partial-dir/ --temp-dir/ -T/",
                Writes,
                "rsync(1)",
            ),
            row(
                "--early-input --files-from/ --password-file --exclude-from/ --include-from/",
                Reads,
                "rsync(1)",
            ),
            row(
                "--remove-source-files --delete --delete-before --delete-after --delete-during --delete-delay --delete-excluded --del",
                Deletes,
                "rsync(1)",
            ),
            row("~: ^rsync://", Remote, "rsync(1): to or from another machine"),
        ],
    ),
    tool(
        &["rclone", "restic", "borg", "duplicity", "rsnapshot", "unison"],
        "",
        &[row(
            "*",
            Remote,
            "rclone, restic, borg: copies to where their configuration says; --password-command, --rsh",
        )],
    ),
    tool(
        &["logrotate", "tmpreaper", "tmpwatch", "run-parts"],
        "",
        &[row("*", Runs, "logrotate(8), run-parts(8); GTFOBins logrotate, run-parts")],
    ),
    tool(
        &["locate", "updatedb", "mdutil"],
        "",
        &[row("-d/ --database/ -o --output --localpaths --prunepaths", Writes, "locate(1), updatedb(8)")],
    ),
    mild(
        &["tail", "head", "cat", "cut", "paste", "tr", "comm", "join", "cmp"],
        "-n: -c: -d: -f: -b: -s:",
        &[row(
            "^/dev/sd ^/dev/disk ^/dev/rdisk ^/dev/nvme ^/dev/mem ^/dev/kmem ^/dev/input",
            Reads,
            "devices",
        )],
    ),
    tool(
        &["watchman", "fswatch", "inotifywait", "chokidar", "nodemon"],
        "",
        &[
            row(
                "-c --command --exec -x trigger trigger-del -j --json-command shutdown-server",
                Shell,
                "watchman, chokidar, nodemon: their documentation",
            ),
            row("--outfile -o --daemon", Writes, "inotifywait(1)"),
            row("-r --require --config", Loads, "nodemon: its README"),
            row("^.js ~.js ~.ts ~.mjs ~.cjs", Code, "nodemon: its README: runs the file that it is given"),
        ],
    ),
    tool(&["mktemp"], "", &[row("-p/ --tmpdir/", Writes, "mktemp(1)")]),
    tool(
        &["code", "cursor", "subl", "atom", "zed", "idea", "xed", "mate", "bbedit"],
        "",
        &[row("*", Code, "editors: extensions, tasks and terminals; code --install-extension")],
    ),
];
