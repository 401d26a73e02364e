//! macOS's own tools.

use super::tool::{Tool, row, tool, words};
use crate::ArgEffect::{
    Changes, Code, Config, Deletes, Loads, Opens, Reads, Runs, Secrets, Serves, Shell, Writes,
};

pub(super) const TOOLS: &[Tool] = &[
    tool(
        &["binhex", "macbinary", "applesingle", "compression_tool", "symbols"],
        "",
        &[row(
            "-o/ -C/ --rename/ -saveSignature/ -symbolsPackageDir/",
            Writes,
            "binhex(1), compression_tool(1), symbols(1)",
        )],
    ),
    tool(
        &["open"],
        "",
        &[row("*", Opens, "open(1): applications, scripts, URLs; --args, --env, -a Terminal")],
    ),
    tool(
        &["launchctl"],
        "",
        &[
            row("submit bsexec asuser bootstrap load start kickstart", Runs, "launchctl(1): starts programs"),
            row(
                "!list,print,print-cache,print-disabled,procinfo,hostinfo,version,help,managername,managerpid,manageruid,dumpstate,blame",
                Changes,
                "launchctl(1): services and the environment of all programs",
            ),
        ],
    ),
    tool(
        &["security"],
        "",
        &[
            row("@-i @-p", Shell, "security(1): commands from its input"),
            row(
                "!help,find-identity,list-keychains,default-keychain,show-keychain-info,error,verify-cert",
                Secrets,
                "security(1): the keychain",
            ),
            row("default-keychain:-s list-keychains:-s", Changes, "security(1)"),
        ],
    ),
    tool(
        &["defaults"],
        "",
        &[
            row("write delete import rename", Changes, "defaults(1): settings of every program"),
            row("export", Writes, "defaults(1)"),
            row("@-host", Changes, "defaults(1): another machine"),
        ],
    ),
    words(
        &["plutil", "plistbuddy"],
        "-expect:",
        &[
            row("-o", Writes, "plutil(1)"),
            row("-insert -replace -remove -create", Writes, "plutil(1): in place"),
            row("-c -x", Writes, "PlistBuddy(8): commands"),
        ],
    ),
    words(
        &["textutil"],
        "-format: -encoding:",
        &[row("-convert -output -outputdir -cat", Writes, "textutil(1)")],
    ),
    words(
        &["hdiutil", "diskutil", "asr", "tmutil", "mount_smbfs", "mount_nfs", "newfs_hfs", "newfs_apfs"],
        "",
        &[row(
            "!info,list,imageinfo,activity,listbackups,latestbackup,destinationinfo,version,isencrypted,listFilesystems",
            Changes,
            "hdiutil(1), diskutil(8), tmutil(8): disks and backups",
        )],
    ),
    words(
        &["installer", "softwareupdate", "startosinstall", "createinstallmedia", "pkgutil", "mas"],
        "",
        &[
            row("--expand --expand-full --flatten --forget --edit-pkg --learn", Writes, "pkgutil(1)"),
            row("-pkg -package", Runs, "installer(8): package scripts run as root"),
            row(
                "!list,info,search,outdated,version,--list,-l,--pkgs,--pkg-info,--files,--volumes,-volinfo,-dominfo,-pkginfo",
                Changes,
                "installer(8), softwareupdate(8)",
            ),
        ],
    ),
    words(
        &["networksetup", "scutil", "ipconfig", "systemsetup", "airport", "scselect", "dns-sd"],
        "",
        &[
            row("--set --proxy --nc --open --renew -r", Changes, "scutil(8)"),
            row(
                "-set -setdnsservers -setwebproxy -setairportnetwork -create -remove -add -enable -disable -switch -connect -delete",
                Changes,
                "networksetup(8)",
            ),
            row(
                "^-set ^-add ^-remove ^-create ^-delete ^-change ^-order ^-switch ^-duplicate ^-rename ^-import",
                Changes,
                "networksetup(8), systemsetup(8)",
            ),
            row("set setverbose -R -B -P", Changes, "ipconfig(8), dns-sd(1)"),
        ],
    ),
    words(
        &[
            "tccutil",
            "csrutil",
            "systemextensionsctl",
            "kextutil",
            "profiles",
            "mdmclient",
            "xprotect",
            "sfltool",
            "firmwarepasswd",
            "bputil",
        ],
        "",
        &[row(
            "!status,list,version,-p,show,-l,-L,--list,--status",
            Changes,
            "tccutil(1), spctl(8), csrutil(8), nvram(8), profiles(1): what protects this Mac",
        )],
    ),
    words(
        &["spctl"],
        "-t: --type: --context: -v -vv -vvv --verbose --raw",
        &[
            row(
                "--add --remove --enable --disable ^--master ^--global ^--test --reset-default --rule --label --path --hash --anchor --requirement",
                Changes,
                "spctl(8): which programs this Mac runs",
            ),
            row("!--status,-a,--assess,--list,status,list", Changes, "spctl(8)"),
        ],
    ),
    words(&["nvram"], "", &[row("~= -d -c -f -m", Changes, "nvram(8)"), row("!-p,-x", Changes, "nvram(8)")]),
    words(
        &["pmset"],
        "",
        &[
            row("#2", Changes, "pmset(1): everything but -g"),
            row(
                "-a -b -c -u sleepnow displaysleepnow schedule repeat boot noidle touch restoredefaults",
                Changes,
                "pmset(1)",
            ),
        ],
    ),
    words(
        &["dscl", "dsconfigad", "dsenableroot", "odutil", "dsimport", "dsmemberutil", "dscacheutil"],
        "",
        &[
            row(
                "-create -append -delete -merge -change -changei -passwd -createpl -deletepl -mergepl -flushcache -i",
                Secrets,
                "dscl(1), dscacheutil(1): accounts",
            ),
            row("^create ^append ^delete ^merge ^change ^passwd flushcache", Secrets, "dscl(1)"),
            row("-u -P -p -f -q -d", Secrets, "dscl(1), dsenableroot(8): passwords"),
        ],
    ),
    tool(
        &["codesign"],
        "-v -d --verify --display --verbose? -r:",
        &[
            row(
                "-s --sign -f --force --remove-signature --entitlements --generate-entitlement-der",
                Writes,
                "codesign(1): signs in place",
            ),
            row("--keychain --file-list --extract-certificates --detached -D", Writes, "codesign(1)"),
        ],
    ),
    tool(
        &[
            "productsign",
            "stapler",
            "notarytool",
            "altool",
            "iconutil",
            "lsregister",
            "pluginkit",
            "automationmodetool",
        ],
        "",
        &[row("*", Changes, "productsign(1), notarytool(1), pluginkit(8), lsregister")],
    ),
    tool(
        &["xattr"],
        "",
        &[
            row("-w -d -c", Changes, "xattr(1): removes com.apple.quarantine too"),
            row("-r", Changes, "xattr(1)"),
        ],
    ),
    words(
        &["mdfind", "mdls"],
        "-onlyin: -name:",
        &[row("-live -attr -interpret", Reads, "mdfind(1)"), row("-s -plist/", Writes, "mdls(1)")],
    ),
    tool(
        &["mdimport", "qlmanage"],
        "",
        &[row("-r -d -g -o -x -c -p -t", Loads, "mdimport(1), qlmanage(1): plugins, files")],
    ),
    tool(
        &["screencapture", "say", "afplay", "afconvert", "avconvert", "imagesnap"],
        "",
        &[row("*", Writes, "screencapture(1), say(1): record the screen, write or play sound")],
    ),
    tool(&["osacompile", "osadecompile", "sdef"], "", &[row("*", Code, "automator(1), osacompile(1)")]),
    tool(
        &["shortcuts"],
        "",
        &[row("!list,help,--help,--version", Code, "shortcuts(1): a shortcut can run a script")],
    ),
    tool(&["pbpaste"], "", &[row("*", Secrets, "pbpaste(1): what the person copied last, passwords too")]),
    tool(
        &["duti", "eslogger", "setfile", "createhomedir", "rez"],
        "",
        &[row("*", Changes, "duti(1), eslogger(1), SetFile(1), createhomedir(8)")],
    ),
    tool(
        &[
            "log",
            "syslog",
            "fs_usage",
            "sc_usage",
            "opensnoop",
            "sysdiagnose",
            "spindump",
            "powermetrics",
            "ktrace",
            "xctrace",
            "vmmap",
        ],
        "--predicate: --last: --style:",
        &[
            row(
                "config erase collect -o --output record -w --launch",
                Writes,
                "log(1), xctrace(1), ktrace(1)",
            ),
            row("-f --source --file", Reads, "log(1)"),
        ],
    ),
    tool(
        &["sshd", "cupsctl", "lpadmin", "sharing", "smbutil", "certtool", "crlrefresh"],
        "",
        &[row("*", Serves, "sshd(8), sharing(1), lpadmin(8): open this Mac; certtool(1)")],
    ),
    tool(&["srm", "trash", "rmtrash", "purge"], "", &[row("*", Deletes, "srm(1), trash")]),
    words(
        &["xcode-select", "xcversion", "xcodes", "devicectl", "devtoolssecurity", "ios-deploy"],
        "",
        &[
            row("-s --switch --reset -r --install", Config, "xcode-select(1): which developer tools run"),
            row("-enable -disable device install select update", Changes, "DevToolsSecurity(1), devicectl"),
        ],
    ),
    words(
        &["ioreg", "system_profiler", "sw_vers", "kextstat"],
        "-l -w: -r -c: -n: -detailLevel:",
        &[row("-xml/", Reads, "system_profiler(8)")],
    ),
    words(
        &["eject", "drutil", "hidutil", "atsutil", "brctl"],
        "",
        &[row("*", Changes, "hidutil(1), drutil(1), atsutil(1), brctl(1)")],
    ),
];
