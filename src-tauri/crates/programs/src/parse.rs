//! Reader of a file about a program.

use crate::file::ProgramFile;
use crate::problem::{ProgramFileError, ProgramFileProblem, problems};

impl ProgramFile {
    /// Reads a file and checks what it says.
    pub fn parse(text: &str) -> Result<Self, ProgramFileError> {
        let file: Self = toml::from_str(text).map_err(|error| ProgramFileError::Format(error.to_string()))?;
        let found = problems(&file);
        if found.is_empty() { Ok(file) } else { Err(ProgramFileError::Content(found)) }
    }

    /// Reads a file that a person wrote, which may only describe: what it says adds effects and takes none away.
    pub fn parse_own(text: &str) -> Result<Self, ProgramFileError> {
        let file = Self::parse(text)?;
        let Self { names, style, options, words, effects, examples, .. } = file.clone();
        let described = Self { names, style, options, words, effects, examples, ..Self::default() };
        if described == file {
            Ok(file)
        } else {
            Err(ProgramFileError::Content(vec![ProgramFileProblem::NotForOwn]))
        }
    }
}
