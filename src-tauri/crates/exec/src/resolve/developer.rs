//! Layout of a developer folder of macOS.

use std::path::{Path, PathBuf};

/// Folders of tools in a developer folder, in the order of `xcrun`.
pub(super) const TOOLS: [&str; 2] = ["Toolchains/XcodeDefault.xctoolchain/usr/bin", "usr/bin"];
/// Paths of the headers and libraries of macOS in a developer folder, with and without Xcode.
const SDKS: [&str; 2] = ["Platforms/MacOSX.platform/Developer/SDKs/MacOSX.sdk", "SDKs/MacOSX.sdk"];

/// Returns what `SDKROOT` is for a tool of a developer folder: without it, a compiler finds no headers.
pub(super) fn sdk_root(tool: &Path) -> Option<PathBuf> {
    let tools = tool.parent()?;
    let folder = TOOLS
        .iter()
        .find(|inside| tools.ends_with(inside))
        .and_then(|inside| tools.ancestors().nth(Path::new(inside).components().count()))?;
    SDKS.iter().map(|sdk| folder.join(sdk)).find(|sdk| sdk.is_dir())
}
