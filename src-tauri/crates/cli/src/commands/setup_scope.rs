//! Folders of the agents' settings, as this terminal knows them.

use crate::CliEnvironment;
use crate::failure::Failure;
use crate::typed::path_text;
use postern_contract::methods::SetupScope;

/// Returns where agents keep their settings by this environment, which the host does not see.
pub(super) fn settings_scope(surroundings: CliEnvironment) -> Result<SetupScope, Failure> {
    let CliEnvironment { home, environment, .. } = surroundings;
    let given = |wanted: &str| {
        let found = environment.iter().find(|(name, value)| name == wanted && !value.is_empty());
        found.map(|(_, value)| value.clone())
    };
    let folder = |wanted: &str| {
        let absolute = given(wanted).map(std::path::absolute).transpose().map_err(Failure::from_error)?;
        absolute.as_deref().map(path_text).transpose()
    };
    Ok(SetupScope {
        home: Some(path_text(&home)?),
        path: given("PATH"),
        claude_config_dir: folder("CLAUDE_CONFIG_DIR")?,
        codex_home: folder("CODEX_HOME")?,
    })
}
