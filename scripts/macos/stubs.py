"""Writes .tbd stubs for Apple's frameworks from what the crates of a lock file declare about them. No SDK is needed.

    python3 stubs.py FOLDER METADATA

FOLDER gets Frameworks/NAME.framework/NAME.tbd and lib/libNAME.tbd, for both processors. METADATA is the output of
`cargo metadata --format-version 1 --locked --filter-platform aarch64-apple-darwin`. Only crates of a registry are read:
what the project's own code declares is not in the stubs unless a dependency declares it too, so a wrong name in it does not link.
"""
import json, pathlib, re, sys

if len(sys.argv) != 3:
    sys.exit(__doc__)
out = pathlib.Path(sys.argv[1])
meta = json.load(open(sys.argv[2]))

TARGETS = '[ arm64-macos, x86_64-macos ]'
VERSION = {'AppKit': 'C', 'Foundation': 'C', 'Cocoa': 'A'}  # of a framework's install name; A where none is named
DYLIB = {'objc': '/usr/lib/libobjc.A.dylib', 'iconv': '/usr/lib/libiconv.2.dylib'}
# What the compiler itself calls, and nothing declares.
OBJC = '''objc_msgSend objc_msgSendSuper objc_retain objc_release objc_autorelease objc_autoreleasePoolPush objc_autoreleasePoolPop
    objc_retainAutoreleasedReturnValue objc_claimAutoreleasedReturnValue objc_autoreleaseReturnValue objc_retainAutoreleaseReturnValue
    objc_exception_throw objc_begin_catch objc_end_catch objc_exception_rethrow __objc_personality_v0 OBJC_EHTYPE_id _objc_empty_cache'''.split()
ICONV = ['iconv', 'iconv_open', 'iconv_close']  # of libiconv, which std links

EXTERN = re.compile(r'(?:(?:unsafe\s+)?extern\s+"[A-Za-z-]+"|extern_c(?:_unwind)?!|extern_conditional_unwind!)\s*\{')
FRAMEWORK = re.compile(r'link\s*\(\s*name\s*=\s*"([A-Za-z]+)"\s*,\s*kind\s*=\s*"framework"')
# As build scripts say it.
BUILD = re.compile(r'rustc-link-lib=framework=([A-Za-z]+)')
CLASS = re.compile(r'extern_class!\([\s\S]{0,900}?pub struct (\w+)')

libs = {}  # name, or lib:name -> its symbols, its Objective-C classes


def need(name):
    return libs.setdefault(name, (set(), set()))


def blocks(text):
    """The insides of all extern blocks."""
    for match in EXTERN.finditer(text):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += (text[at] == '{') - (text[at] == '}')
            at += 1
        yield text[match.end():at - 1]


def declared(block):
    """The functions and statics of an extern block."""
    block = re.sub(r'//[^\n]*', '', block)
    return (set(re.findall(r'\bfn\s+([A-Za-z_]\w*)\s*[(<]', block))
            | set(re.findall(r'\bstatic\s+(?:mut\s+)?([A-Za-z_]\w*)\s*:', block))
            | set(re.findall(r'link_name\s*=\s*"([^"]+)"', block)))


for package in meta['packages']:
    if package.get('source') is None:
        continue
    root = pathlib.Path(package['manifest_path']).parent
    files = [f for f in root.rglob('*.rs') if 'tests' not in f.parts and 'examples' not in f.parts]
    texts = [f.read_text(errors='replace') for f in files]
    frameworks = {name for text in texts for form in (FRAMEWORK, BUILD) for name in form.findall(text)}
    if not frameworks and not package['name'].startswith('objc2'):
        continue
    for text in texts:
        names = set().union(*map(declared, blocks(text)))
        classes = set(CLASS.findall(text))
        for framework in frameworks:
            need(framework)[0].update(names)
            need(framework)[1].update(classes)
        if package['name'] == 'objc2':
            need('lib:objc')[0].update(names)
need('lib:objc')[0].update(OBJC)
need('lib:iconv')[0].update(ICONV)

for name, (symbols, classes) in libs.items():
    if name.startswith('lib:'):
        name = name[4:]
        file, installed = out / 'lib' / f'lib{name}.tbd', DYLIB[name]
    else:
        file = out / 'Frameworks' / f'{name}.framework' / f'{name}.tbd'
        installed = f'/System/Library/Frameworks/{name}.framework/Versions/{VERSION.get(name, "A")}/{name}'
    stub = (f"--- !tapi-tbd\ntbd-version: 4\ntargets: {TARGETS}\ninstall-name: '{installed}'\ncurrent-version: 1\n"
            f"exports:\n  - targets: {TARGETS}\n")
    if symbols:
        stub += '    symbols: [ ' + ', '.join(f"'_{symbol}'" for symbol in sorted(symbols)) + ' ]\n'
    if classes:
        stub += '    objc-classes: [ ' + ', '.join(sorted(classes)) + ' ]\n'
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(stub + '...\n')
    print(name, len(symbols), 'symbols', len(classes), 'classes')
