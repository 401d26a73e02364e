//! Tools that search, sort, show and change text.

use super::tool::{Tool, mild, row, strict, tool};
use crate::ArgEffect::{Changes, Code, Config, Loads, Opens, Reads, Runs, Shell, Writes};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["rg", "ripgrep"],
        "-e: --regexp: -f: --file: -g: --glob: --iglob: -t: --type: -T: --type-not: -A: -B: -C: -m: -d: -j: -E: -r: -M: \
         --max-count: --max-depth: --replace: --sort: --sortr: --color: --colors: --context: --after-context: \
         --before-context: --pre-glob: --encoding: --threads: --max-columns: --max-filesize:",
        &[
            row("--pre", Runs, "rg(1): a program on every file; peers' published bypass"),
            row("--hostname-bin", Runs, "rg(1)"),
            row("-z --search-zip", Runs, "rg(1): gzip, xz, … found on PATH"),
        ],
    ),
    tool(
        &["ag"],
        "-A: -B: -C: -G: -g: -m: --ignore: --ignore-dir: --depth:",
        &[
            row("--pager", Runs, "ag(1)"),
            row("-z --search-zip", Reads, "ag(1)"),
            row("-p --path-to-ignore/", Reads, "ag(1)"),
        ],
    ),
    tool(
        &["ack"],
        "-A: -B: -C: -m: --match: --type:",
        &[
            row("--pager", Runs, "ack(1)"),
            row("--output", Code, "ack(1): ack 2 evaluates it as Perl"),
            row("--ackrc --env", Config, "ack(1): ACK_PAGER and other options"),
        ],
    ),
    tool(
        &["ugrep", "ug"],
        "-e: -A: -B: -C: -g: -t: -m:",
        &[
            row("--filter --filter-magic-label", Runs, "ugrep(1)"),
            row("--pager --view", Runs, "ugrep(1)"),
            row("-Q --query", Opens, "ugrep(1): its screen starts an editor"),
            row("--config --save-config ^---", Config, "ugrep(1): ---FILE too"),
        ],
    ),
    strict(tool(
        &["sort"],
        "-k: --key: -t: --field-separator: -S: --buffer-size: --parallel: --batch-size: --random-source: --sort: --check? -b -d -f -g \
         -i -M -h -n -R -r -V -c -C -m -s -u -z --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort \
         --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --version-sort --debug --merge \
         --stable --unique --zero-terminated --mergesort --qsort --heapsort --radixsort --mmap -H",
        &[
            row("-o --output", Writes, "sort(1): GNU coreutils, macOS; GTFOBins sort"),
            row("-T --temporary-directory", Writes, "sort(1): temporary files elsewhere"),
            row("--compress-program", Runs, "sort(1); CVE-2026-28363"),
            row("--files0-from", Reads, "sort(1); GTFOBins sort"),
        ],
    )),
    tool(
        &["sed"],
        "-e: --expression: -l: --line-length:",
        &[
            row("-i -I --in-place", Writes, "sed(1): GNU, macOS"),
            row("-f --file", Code, "sed(1): its script is in a file"),
        ],
    ),
    mild(
        &["less"],
        "-b: -h: -j: -p: -P: -t: -T: -x: -y: -z: -D: --pattern: --tag: --tabs: --window: --prompt: --jump-target:",
        &[
            row("^+", Code, "less(1): a command at the start; GTFOBins less"),
            row("-o -O --log-file --LOG-FILE", Writes, "less(1)"),
            row(
                "-k --lesskey-file --lesskey-src --lesskey-content",
                Config,
                "less(1): keys that run commands",
            ),
            row("-T --tag-file", Reads, "less(1)"),
        ],
    ),
    mild(&["more", "pg", "most"], "", &[row("^+", Code, "more(1); GTFOBins more")]),
    mild(
        &["man", "whatis", "apropos"],
        "-L: -s: -S: -m: -e: --locale: --sections:",
        &[
            row("-P --pager", Runs, "man(1); GTFOBins man"),
            row("-H --html", Runs, "man(1): the browser"),
            row("-C --config-file -M/ --manpath/", Config, "man(1): man.conf names programs"),
            row(
                "-p --preprocessor -T --troff-device -X --gxditview -Z --ditroff",
                Runs,
                "man(1): groff and its preprocessors",
            ),
            row("-l --local-file -K", Reads, "man(1)"),
        ],
    ),
    tool(
        &["groff", "troff", "nroff", "groffer", "pic", "eqn"],
        "",
        &[
            row("-U -P -F -M -m", Code, "groff(1): unsafe mode, macros"),
            row("*", Code, "roff(7): .sy and .pso run commands"),
        ],
    ),
    tool(
        &["bat", "batcat"],
        "-l: -r: -H: -m: --language: --line-range: --highlight-line: --theme: --style: --color: --wrap: --tabs: --file-name: \
         --map-syntax: --terminal-width: --decorations: --italic-text:",
        &[
            row("--pager", Runs, "bat(1): --pager COMMAND"),
            row("--config-file --config-dir --cache-dir", Config, "bat(1)"),
            row("cache", Writes, "bat(1): builds themes and syntaxes from files"),
        ],
    ),
    tool(
        &["delta", "difft", "difftastic", "diff-so-fancy"],
        "",
        &[row(
            "--pager --paging --config --features --navigate --diff-args",
            Config,
            "delta(1): pager, git configuration",
        )],
    ),
    tool(
        &["fzf", "sk"],
        "",
        &[
            row(
                "--preview --bind --execute --become --info-command -c --cmd --walker-root",
                Shell,
                "fzf(1): --preview and --bind run commands",
            ),
            row("--listen --listen-unsafe", Code, "fzf(1): actions over a port"),
            row("--history --cmd-history --log-file", Writes, "fzf(1), sk(1)"),
            row("--with-shell --tmux", Runs, "fzf(1)"),
        ],
    ),
    strict(mild(
        &["jq", "gojq", "jaq"],
        "--indent: --arg? --argjson? --args --jsonargs -n -r -R -s -c -C -M -S -a -j -e -h -V --null-input --raw-input --slurp \
         --compact-output --raw-output --raw-output0 --join-output --ascii-output --sort-keys --color-output --monochrome-output \
         --tab --unbuffered --stream --stream-errors --seq --exit-status --build-configuration",
        &[
            row("-f --from-file", Code, "jq(1): its program is in a file"),
            row("-L --library-path", Loads, "jq(1)"),
            row("--rawfile --slurpfile", Reads, "jq(1)"),
        ],
    )),
    tool(
        &["yq"],
        "-p: -o: -I: --input-format: --output-format: --indent:",
        &[
            row("-i --inplace --in-place", Writes, "yq: its documentation"),
            row("-s --split-exp --split-exp-file --from-file", Writes, "yq: its documentation"),
            row(
                "~env( ~envsubst ~$ENV ~load( ~load_ ~eval(",
                Reads,
                "yq: its operators read the environment and other files",
            ),
            row("~system", Shell, "yq: its operator system runs a command"),
        ],
    ),
    tool(
        &["dasel", "xq", "tomlq", "jo", "xmlstarlet", "yj"],
        "",
        &[
            row(
                "-i --in-place --inplace -L --inplace-edit",
                Writes,
                "xmlstarlet(1), yq (kislyuk): its documentation",
            ),
            row("-f --from-file", Code, "yq (kislyuk): its documentation"),
            row("tr", Code, "xmlstarlet(1): a stylesheet writes files"),
        ],
    ),
    tool(
        &["xsltproc"],
        "",
        &[row("#1 -o --output", Code, "xsltproc(1): a stylesheet writes files (EXSLT document)")],
    ),
    tool(
        &["xmllint"],
        "--xpath: --encode:",
        &[
            row("-o --output", Writes, "xmllint(1), xsltproc(1)"),
            row("--shell", Code, "xmllint(1)"),
            row("--load-trace --path --catalogs --schema --relaxng --dtdvalid", Reads, "xmllint(1)"),
            row("--writesubtree", Writes, "xsltproc(1)"),
            row(
                "--noent --xinclude --loaddtd --dtdattr --valid --postvalid",
                Reads,
                "xmllint(1): what a document names",
            ),
        ],
    ),
    mild(
        &["xxd"],
        "-c: -g: -l: -s: -o: -n:",
        &[
            row("-r -revert", Writes, "xxd(1): writes what it reads back"),
            row("#2", Writes, "xxd(1): the second file is written; GTFOBins xxd"),
        ],
    ),
    mild(
        &["base64", "base32", "basenc"],
        "-w: --wrap: -b: --break:",
        &[row("-o --output", Writes, "base64(1): macOS")],
    ),
    tool(
        &["uudecode"],
        "",
        &[row("*", Writes, "uudecode(1): writes the file that its input names, wherever it lies")],
    ),
    mild(
        &["tree"],
        "-L: -P: -I: -H: -T: --filelimit: --timefmt: --gitfile:",
        &[
            row("-o", Writes, "tree(1)"),
            row("-R", Writes, "tree(1): writes 00Tree.html with -H and -o"),
            row("--fromfile --fromtabfile --info", Reads, "tree(1)"),
        ],
    ),
    tool(&["tee"], "", &[row("#*", Writes, "tee(1); GTFOBins tee")]),
    mild(
        &["column", "nl", "expand", "fold", "fmt", "pr", "rev", "tac"],
        "",
        &[row("--files0-from", Reads, "GNU coreutils")],
    ),
    mild(
        &["wc", "du"],
        "",
        &[row("--files0-from -X --exclude-from", Reads, "wc(1), du(1): GNU coreutils; GTFOBins wc")],
    ),
    mild(
        &["uniq"],
        "-f: -s: -w: --skip-fields: --skip-chars: --check-chars: --group? --all-repeated?",
        &[row("#2", Writes, "uniq(1): POSIX")],
    ),
    mild(
        &["diff", "colordiff", "sdiff", "diff3"],
        "-U: -C: -I: -x: -F: -W: -L: --label: --exclude: --width:",
        &[
            row("-o --output", Writes, "sdiff(1)"),
            row("--diff-program", Runs, "sdiff(1), diff3(1)"),
            row("-l --paginate", Runs, "diff(1): pr(1)"),
            row("-X --exclude-from --from-file --to-file", Reads, "diff(1)"),
        ],
    ),
    tool(
        &["patch"],
        "-p: -F: -D: -B: -V: -Y: -z:",
        &[
            row("-e --ed", Shell, "patch(1): ed scripts; CVE-2018-1000156, CVE-2019-13638"),
            row("-o --output -r --reject-file", Writes, "patch(1)"),
            row("-d/ --directory/", Writes, "patch(1): in another folder"),
            row("-i/ --input/", Reads, "patch(1)"),
            row("#1/ -B/ --prefix/ -Y/ --basename-prefix/", Writes, "patch(1): a file elsewhere"),
            row("-g --get", Runs, "patch(1): fetches the file from version control, by its programs"),
            row("--follow-symlinks", Writes, "patch(1): writes where a link leads"),
        ],
    ),
    tool(
        &["split", "csplit"],
        "-l: -b: -n: -a: -d? -C: -f: --lines: --bytes: --number: --suffix-length:",
        &[
            row("--filter", Shell, "split(1): GNU coreutils; GTFOBins split"),
            row("*", Writes, "split(1), csplit(1)"),
        ],
    ),
    tool(
        &["iconv"],
        "-f: -t: --from-code: --to-code:",
        &[row("-o --output", Writes, "iconv(1); GTFOBins iconv")],
    ),
    tool(
        &["shuf", "factor", "ptx", "unexpand", "look"],
        "-n: -e:",
        &[row("-o --output -G --traditional", Writes, "shuf(1), ptx(1): GNU coreutils; GTFOBins shuf")],
    ),
    tool(
        &["strings", "nm", "objdump", "readelf", "size", "addr2line", "c++filt"],
        "-n: -t:",
        &[
            row("--plugin", Loads, "binutils: nm(1), objdump(1); GTFOBins nm"),
            row("^@", Reads, "binutils: options from a file"),
        ],
    ),
    tool(
        &["file"],
        "-F: -e: -P: --separator: --exclude:",
        &[
            row("-C --compile", Writes, "file(1)"),
            row("-m --magic-file", Reads, "file(1); GTFOBins file"),
            row("-f --files-from", Reads, "file(1); GTFOBins file"),
            row("-z -Z --uncompress --uncompress-noreport", Runs, "file(1): runs decompressors"),
        ],
    ),
    mild(
        &["date"],
        "-d: --date: -I? --iso-8601? -v: -j",
        &[
            row("--file", Reads, "date(1): GNU; GTFOBins date"),
            row("-s --set", Changes, "date(1): sets the clock"),
        ],
    ),
    tool(
        &["dialog", "whiptail", "gum"],
        "",
        &[row(
            "--input-fd --textbox --tailbox spin input write file",
            Runs,
            "GTFOBins dialog; gum: its README",
        )],
    ),
    tool(
        &["glow", "mdcat", "vd", "visidata"],
        "",
        &[row("-p --pager --play -b --batch --preplay --config", Config, "glow: its README; visidata.org")],
    ),
];
