//! Settings of the host.

use super::{PolicyStore, PolicyStoreError, now_millis, values};
use crate::clock::lasting;
use postern_contract::methods::HostSettings;
use postern_policy::Millis;
use postern_store::{Connection, Keep, erased, overwrite_deleted, settings, sweep_history};

const KEY: &str = "host";
/// The most days that history is kept.
const LONGEST_DAYS: u32 = 3650;

pub(super) fn read_settings(conn: &Connection) -> Result<HostSettings, postern_store::Error> {
    Ok(postern_store::settings::get_value(conn, KEY)?.unwrap_or_default())
}

/// Most bytes of history that are kept, of any age.
const MOST_HISTORY: u64 = 4 * 1024 * 1024 * 1024;
/// Number of requests that are deleted before others may write again.
const STEP: u32 = 500;
pub(super) const DAY: Millis = 24 * 3_600_000;
/// Key of the time at which the whole record was last checked, among its settings.
pub(super) const CHECKED: &str = "record.checked";

impl PolicyStore {
    /// Clears history away that is older than the person keeps it, by both clocks.
    pub(crate) async fn clear_history(&self) -> Result<(), PolicyStoreError> {
        let now = now_millis().min(lasting());
        let since = now - Millis::from(self.snapshot().settings.keep_days) * DAY;
        let keep = Keep { since, bytes: MOST_HISTORY };
        while self.store().write(move |conn| sweep_history(conn, keep, STEP)).await? > 0 {}
        Ok(())
    }

    /// Looks at the whole record once a week. Damage raises a doubt, which denies everything.
    pub(crate) async fn check_record(&self) -> Result<(), PolicyStoreError> {
        let at = now_millis();
        let last: Option<Millis> = self.store().read(|conn| settings::get_value(conn, CHECKED))?;
        // One from the future is of a clock that was wrong.
        if last.is_some_and(|last| (last..last.saturating_add(7 * DAY)).contains(&at)) {
            return Ok(());
        }
        self.blocking(|book| Ok(book.store().check_file()?)).await?;
        self.store().write(move |conn| settings::set_value(conn, CHECKED, &at)).await?;
        Ok(())
    }

    /// Erases every request that has ended, with what belongs to it. What is erased is overwritten in the file.
    pub(crate) async fn erase_history(&self) -> Result<(), PolicyStoreError> {
        let keep = Keep { since: now_millis().saturating_add(DAY), bytes: MOST_HISTORY };
        let overwrite = |on: bool| self.store().write(move |conn| overwrite_deleted(conn, on));
        overwrite(true).await?;
        loop {
            match self.store().write(move |conn| sweep_history(conn, keep, STEP)).await {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) => {
                    overwrite(false).await?;
                    return Err(error.into());
                }
            }
        }
        self.store().write(erased).await?;
        overwrite(false).await?;
        Ok(())
    }

    /// Writes what holds for the whole.
    pub(crate) async fn set_settings(&self, settings: HostSettings) -> Result<(), PolicyStoreError> {
        if !(1..=LONGEST_DAYS).contains(&settings.keep_days) {
            return Err(PolicyStoreError::Invalid(format!("keepDays is between 1 and {LONGEST_DAYS}")));
        }
        values::check_settings(&settings.new_agent)?;
        values::check_cap(&self.snapshot().settings.new_agent, &settings.new_agent)?;
        let _one = self.change().await;
        self.store()
            .write_durable(move |conn| postern_store::settings::set_value(conn, KEY, &settings))
            .await?;
        self.reload(None).await
    }
}
