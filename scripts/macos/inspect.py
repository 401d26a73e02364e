"""Looks at executables for macOS: what they need of the system, and nothing else.

    python3 inspect.py --arch aarch64 [--most BYTES] FILE…

Prints one line per file, and fails where one has an undefined symbol, another minimum version, a library that is not
listed here, a weak or private one, or more bytes than it may have.
"""
import argparse
import pathlib
import sys

import lief

# Libraries that every macOS since 13.0 has. A new one is added here after looking that up.
LIBRARIES = {'/usr/lib/libSystem.B.dylib', '/usr/lib/libobjc.A.dylib', '/usr/lib/libiconv.2.dylib'}
FRAMEWORKS = {
    'AppKit', 'ApplicationServices', 'Carbon', 'CoreFoundation', 'CoreGraphics', 'CoreServices', 'CoreVideo', 'Foundation',
    'IOSurface', 'LocalAuthentication', 'QuartzCore', 'Security', 'ServiceManagement', 'UserNotifications', 'WebKit',
}
# Programs that need less of the system than that: by name.
ONLY = {'postern-run': {'/usr/lib/libSystem.B.dylib', '/usr/lib/libiconv.2.dylib'}}
MINIMUM = [13, 0, 0]
CPUS = {'aarch64': lief.MachO.Header.CPU_TYPE.ARM64, 'x86_64': lief.MachO.Header.CPU_TYPE.X86_64}
FLAGS = lief.MachO.Header.FLAGS
COMMANDS = lief.MachO.LoadCommand.TYPE


def allowed(library):
    if library in LIBRARIES:
        return True
    parts = pathlib.PurePosixPath(library).parts
    return parts[1:4] == ('System', 'Library', 'Frameworks') and parts[4].removesuffix('.framework') in FRAMEWORKS


def problems(path, arch, most):
    """Yields what is wrong with a file."""
    fat = lief.MachO.parse(str(path))
    if fat is None or fat.size != 1:
        yield 'is not one Mach-O'
        return
    macho = fat.at(0)
    if macho.header.cpu_type != CPUS[arch]:
        yield f'is for {macho.header.cpu_type}'
    for flag in (FLAGS.NOUNDEFS, FLAGS.TWOLEVEL, FLAGS.PIE):
        if flag not in macho.header.flags_list:
            yield f'has no {flag}'
    if not macho.has_build_version or list(macho.build_version.minos) != MINIMUM:
        yield f'is not for macOS {MINIMUM[0]}.{MINIMUM[1]}'
    only = ONLY.get(path.name)
    for library in macho.libraries:
        if library.command != COMMANDS.LOAD_DYLIB:
            yield f'loads {library.name} by {library.command}'
        if not allowed(library.name) or (only is not None and library.name not in only):
            yield f'needs {library.name}'
    if macho.has_rpath:
        yield 'has a search path for libraries'
    size = path.stat().st_size
    if most is not None and size > most:
        yield f'has {size} bytes, and may have {most}'
    frameworks = sorted({pathlib.PurePosixPath(library.name).name for library in macho.libraries})
    print(f'    {path.name}: {size} bytes, {len(macho.imported_symbols)} imports of {", ".join(frameworks)}')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--arch', choices=CPUS, required=True)
    parser.add_argument('--most', type=int)
    parser.add_argument('files', nargs='+', type=pathlib.Path)
    args = parser.parse_args()
    wrong = [f'{path}: {what}' for path in args.files for what in problems(path, args.arch, args.most)]
    if wrong:
        sys.exit('\n'.join(wrong))


main()
