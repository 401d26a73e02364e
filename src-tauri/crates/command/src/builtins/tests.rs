//! Each builtin of the shells, and each argument by which a harmless one is not.

use super::{Ruling, is_builtin, judge_builtin};
use crate::Dialect;
use crate::call::{Arg, CommandCall};

fn call(line: &str, shell: Dialect) -> CommandCall {
    let arg = |word: &str| match word.strip_prefix('$') {
        Some(name) => Arg { several: name == "@", chosen: false, ..Arg::unknown(word, 0..0, true) },
        None if word.contains('$') => {
            Arg { several: false, chosen: false, ..Arg::unknown(word, 0..0, false) }
        }
        None => Arg::from_value(word, 0..0),
    };
    CommandCall { args: line.split(' ').map(arg).collect(), shell: Some(shell), ..CommandCall::default() }
}

fn rules(line: &str, shell: Dialect) -> Ruling {
    judge_builtin(&call(line, shell))
}

/// `compgen -b` of bash 5.2.
const BASH: &str = ". : [ alias bg bind break builtin caller cd command compgen complete compopt continue declare dirs disown echo \
    enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read \
    readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait";

/// `${(k)builtins}` of zsh 5.9 with `-f`.
const ZSH: &str = ". : [ alias autoload bg bindkey break builtin bye cd chdir command compadd comparguments compcall compctl \
    compdescribe compfiles compgroups compquote compset comptags comptry compvalues continue declare dirs disable disown echo echotc \
    echoti emulate enable eval exec exit export false fc fg float functions getln getopts hash history integer jobs kill let limit \
    local log logout noglob popd print printf private pushd pushln pwd r read readonly rehash return sched set setopt shift source \
    suspend test times trap true ttyctl type typeset ulimit umask unalias unfunction unhash unlimit unset unsetopt vared wait whence \
    where which zcompile zformat zle zmodload zparseopts zregexparse zstyle";

/// POSIX special builtins and the others that dash has.
const POSIX: &str = "break : continue . eval exec exit export readonly return set shift times trap unset alias bg cd command false fg \
    getopts hash jobs kill printf pwd read test [ true type ulimit umask unalias wait local echo";

const PLAIN_IN_BASH: &str = "\
cd src
pushd src
popd
true
: x
[ -f x ]
test -n $x
[ $x = y ]
[ $x ]
[ ! $x ]
[ $@ ]
[ x$y a[1] ]
[ -t x ]
[ x -eq y ]
test $x
read -r line
read -t 1.5 line
read -rp name? x
set -e
set -euo pipefail
set +x
set -o pipefail
set -f
set x -k
set -- a b
export CI=1
local x=1
local x=$y
declare -F x
declare -a files
readonly n=3
unset x
hash -r
hash git
type -a git
alias
alias ll
unalias ll
jobs -l
wait
shopt -s nullglob globstar
shopt -q login_shell
compgen -c
compgen -c gi
history 5
fc -l
enable
enable -p
alias -p
bind -lP
mapfile -t lines
getopts ab: opt
getopts ab: opt $args
printf -v x %s 1
help cd
umask 022
ulimit -n
times
caller
local
declare -p x
declare -f
exit 0
return 1
shift 2";

const PLAIN_IN_ZSH: &str = "\
print -r x
print hello
print x$y
[ -f x ]
[ -t 1 ]
[ 1 -eq 2 ]
[ -1 -lt x$y ]
typeset -f x
typeset -a x
setopt pipefail ERR_EXIT
whence -p git
which git
rehash
chdir src
bye";

const DOUBTED_IN_BASH: &str = "\
jobs -x id
jobs -lx id
jobs $x
hash -p /tmp/e ls
hash $x
alias ls=id
alias $x
enable -f /tmp/e x
enable -n echo
shopt -s expand_aliases
shopt -s extglob
shopt -qs extglob
shopt -s lastpipe
shopt -s $x
set -o posix
set -a
set -k
set $x
set +B
compgen -W $(id)
compgen -F f
compgen -C id
history -w f
history -r f
history -s id
fc
fc -1
fc -s
fc -e id
fc -e id -l
bind -x id
bind -f/tmp/inputrc
bind -
complete -C id x
mapfile -C id x
mapfile PATH
mapfile a[1]
read PATH
read RANDOM
read a[$(id)]
read $x
read -a PATH
getopts a PATH
getopts a OPTIND
getopts a $x
getopts $@ x
read -p $@ x
printf -v a[1] x
printf -v PATH x
printf -v $x y
printf -va[1] x
wait -p a[1]
wait $x
export PATH=/tmp
export FOO=1
export FOO
export $x
declare -x FOO=1
declare -n r=PATH
declare -i n=a[1]
declare a[1]=2
declare x=(id)
declare -a x=(id)
declare -a x=$y
export -f f
readonly -f f
readonly PATH
local IFS=x
typeset -T PATH path
unset -f f
unset PATH
unset a[1]
unset $x
test -v a[1]
[ -v a[1] ]
[ $x a[1] ]
test $x $y
test $x ]
test ! $x a[1]
[ -R x ]
let x=1
. f
source f
coproc id
noglob id
repeat 3 id
print -z id
- id
%1";

const DOUBTED_IN_ZSH: &str = "\
read -t a[1] x
read -n $x y
read -A path
setopt promptsubst
setopt -k
set -f
setopt autocd
setopt $x
print -P x
print -z x
print -v x y
print $x
r
r ls
autoload f
functions f
functions -M f
unfunction f
emulate sh
emulate sh -c id
zmodload x
sched 1 id
zle x
vared x
integer x=1
float x
typeset -T A a
export aliases=x
read functions
[ x -eq y ]
[ $x -eq 1 ]
[ 1 -eq y ]
[ y -eq 1 ]
[ -t x ]
printf %d 5a[1]
printf %d a[1]
typeset -F x
typeset -fu x
disable echo
hash ls=/tmp/e
hash -d x=/tmp
limit x 1";

const RUN_THEIR_ARGUMENTS: &str = "\
eval id
exec id
command id
trap id EXIT
builtin cd";

const NOT_IN_EVERY_SH: &str = "\
pushd x
shopt -s nullglob
declare x=1
source f
mapfile x";

#[test]
fn every_builtin_of_every_shell_is_known() {
    // Judged like the programs of those names: a rule can name `/bin/echo`.
    const PROGRAMS: &[&str] = &["echo", "pwd", "kill", "printf"];
    for (names, shell) in [(BASH, Dialect::Bash), (ZSH, Dialect::Zsh), (POSIX, Dialect::Posix)] {
        for name in names.split_whitespace() {
            assert!(is_builtin(name), "{name}");
            let ruling = judge_builtin(&call(name, shell));
            assert!(ruling != Ruling::Program || PROGRAMS.contains(&name), "{name} in {shell:?}: {ruling:?}");
        }
    }
}

#[test]
fn plain_uses_are_harmless() {
    for line in PLAIN_IN_BASH.lines() {
        assert_eq!(rules(line, Dialect::Bash), Ruling::Harmless, "{line}");
    }
    for line in PLAIN_IN_ZSH.lines() {
        assert_eq!(rules(line, Dialect::Zsh), Ruling::Harmless, "{line}");
    }
}

/// Each of these runs or changes something in a real shell (tried), or is named at run time.
#[test]
fn what_runs_or_steers_is_not_harmless() {
    for line in DOUBTED_IN_BASH.lines() {
        assert!(
            matches!(rules(line, Dialect::Bash), Ruling::Doubt(..)),
            "{line}: {:?}",
            rules(line, Dialect::Bash)
        );
    }
    for line in DOUBTED_IN_ZSH.lines() {
        assert!(
            matches!(rules(line, Dialect::Zsh), Ruling::Doubt(..)),
            "{line}: {:?}",
            rules(line, Dialect::Zsh)
        );
    }
    for line in RUN_THEIR_ARGUMENTS.lines() {
        assert_eq!(rules(line, Dialect::Bash), Ruling::Runs, "{line}");
    }
}

#[test]
fn what_another_shell_has_is_a_program_or_a_doubt() {
    assert_eq!(rules("log show", Dialect::Bash), Ruling::Program, "macOS has a program of that name");
    assert_eq!(rules("which git", Dialect::Bash), Ruling::Program);
    assert_eq!(rules("printf %d -5.5", Dialect::Zsh), Ruling::Program, "what is a number is not evaluated");
    assert_eq!(rules("noglob ls", Dialect::Zsh), Ruling::Runs);
    for line in NOT_IN_EVERY_SH.lines() {
        assert!(matches!(rules(line, Dialect::Posix), Ruling::Doubt(..)), "{line} is not in every `sh`");
    }
}
