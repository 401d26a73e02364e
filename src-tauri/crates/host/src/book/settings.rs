//! What holds for the whole.

use super::{Book, BookError, values};
use postern_contract::methods::HostSettings;
use postern_store::Connection;

/// The key under which they are kept.
const KEY: &str = "host";
/// The most days that history is kept.
const LONGEST_DAYS: u32 = 3650;

pub(super) fn read(conn: &Connection) -> Result<HostSettings, postern_store::Error> {
    Ok(postern_store::settings::get(conn, KEY)?.unwrap_or_default())
}

impl Book {
    /// Writes what holds for the whole.
    pub(crate) async fn set_settings(&self, settings: HostSettings) -> Result<(), BookError> {
        if !(1..=LONGEST_DAYS).contains(&settings.keep_days) {
            return Err(BookError::Invalid(format!("keepDays is between 1 and {LONGEST_DAYS}")));
        }
        values::check(&settings.new_agent)?;
        let _one = self.change().await;
        self.store().write(move |conn| postern_store::settings::set(conn, KEY, &settings)).await?;
        self.reload(None).await
    }
}
