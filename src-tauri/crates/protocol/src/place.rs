//! The data folder, and the folders of the agents' channels.

use std::path::{Path, PathBuf};

/// Default data folder of macOS, below the home folder.
const MAC_DATA: &str = "/Library/Application Support/Postern";
/// Folder below the home folder that has the channels of that data folder.
///
/// The path of a socket has at most 103 bytes on macOS, and names of people and agents count among them.
pub const SHORT_FOLDER: &str = ".postern";

/// Returns the default data folder.
pub fn default_data_folder(home: &Path, xdg_data_home: Option<PathBuf>) -> PathBuf {
    if cfg!(target_os = "macos") {
        return home.join(MAC_DATA.trim_start_matches('/'));
    }
    let folder = xdg_data_home.filter(|path| path.is_absolute());
    folder.unwrap_or_else(|| home.join(".local/share")).join("postern")
}

/// Returns the folder of the channels that lie outside a data folder, or `None` if they lie in it.
pub fn short_folder(data: &str) -> Option<String> {
    data.strip_suffix(MAC_DATA).map(|home| format!("{home}/{SHORT_FOLDER}/s"))
}

/// Returns the folder that has one for each channel, with its socket and its key. The data folder is given by its real path.
pub fn channels_folder(data: &Path) -> PathBuf {
    let short = data.to_str().and_then(short_folder).map(PathBuf::from);
    short.unwrap_or_else(|| data.join("agents"))
}

#[cfg(test)]
mod tests {
    use super::{channels_folder, short_folder};
    use std::path::Path;

    #[test]
    fn channels_of_a_macs_own_data_folder_lie_in_a_short_one() {
        let of = |data: &str| channels_folder(Path::new(data));
        assert_eq!(of("/Users/kim/Library/Application Support/Postern"), Path::new("/Users/kim/.postern/s"));
        for data in [
            "/home/kim/.local/share/postern", "/Users/kim/Library/Application Support/Postern/",
            "/Users/kim/Library/Application Support/Postern 2",
            "/Users/kim/xLibrary/Application Support/Postern", "/tmp/data",
        ] {
            assert_eq!(of(data), Path::new(data).join("agents"), "another data folder keeps its own");
            assert_eq!(short_folder(data), None);
        }
    }
}
