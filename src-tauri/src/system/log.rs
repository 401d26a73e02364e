//! Log of the app: standard error, and on macOS the unified log.
//!
//! Nobody reads the standard error of an app.

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer as _};

/// Sets up the log of this process.
pub fn init_logging() {
    let errors = tracing_subscriber::fmt::layer()
        .with_writer(std::io::stderr)
        .with_filter(EnvFilter::from_default_env());
    let all = tracing_subscriber::registry().with(errors);
    #[cfg(target_os = "macos")]
    let all = all.with(unified::Unified.with_filter(tracing_subscriber::filter::LevelFilter::INFO));
    // A second call in one process, as in tests, changes nothing.
    all.try_init().ok();
}

#[cfg(any(target_os = "macos", test))]
mod unified {
    use super::super::log_entry::UnifiedLogEntry;
    use std::fmt::{Debug, Write as _};
    use tracing::field::{Field, Visit};
    use tracing::{Event, Subscriber};
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::Context;

    /// Writes every event to the unified log.
    pub(super) struct Unified;

    impl<S: Subscriber> Layer<S> for Unified {
        fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
            let entry = to_log_entry(event);
            #[cfg(target_os = "macos")]
            super::super::here::write_log(&entry);
            #[cfg(not(target_os = "macos"))]
            drop(entry);
        }
    }

    /// Returns the entry of an event: its message is public, and its fields, which may hold commands, are private.
    fn to_log_entry(event: &Event<'_>) -> UnifiedLogEntry {
        let mut recorded = Recorded::default();
        event.record(&mut recorded);
        UnifiedLogEntry::new(*event.metadata().level(), &recorded.message, &recorded.fields)
    }

    #[derive(Debug, Default)]
    struct Recorded {
        message: String,
        fields: String,
    }

    impl Visit for Recorded {
        fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
            // Writing to a string does not fail.
            _ = match field.name() {
                "message" => write!(self.message, "{value:?}"),
                name => write!(self.fields, " {name}={value:?}"),
            };
        }
    }

    #[cfg(test)]
    mod tests {
        use super::{Recorded, Unified};
        use parking_lot::Mutex;
        use std::sync::Arc;
        use tracing::Event;
        use tracing_subscriber::layer::{Context, SubscriberExt as _};

        #[derive(Clone, Default)]
        struct CapturedEntries(Arc<Mutex<Vec<(String, String)>>>);

        impl<S: tracing::Subscriber> tracing_subscriber::Layer<S> for CapturedEntries {
            fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
                let mut recorded = Recorded::default();
                event.record(&mut recorded);
                self.0.lock().push((recorded.message, recorded.fields));
            }
        }

        #[test]
        fn a_command_is_never_in_the_public_part_of_an_entry() {
            let kept = CapturedEntries::default();
            let log = tracing_subscriber::registry().with(kept.clone()).with(Unified);
            tracing::subscriber::with_default(log, || {
                tracing::warn!(command = "rm -rf x", why = 3, "it was denied");
            });
            let recorded = kept.0.lock().clone();
            assert_eq!(recorded, [("it was denied".to_owned(), " command=\"rm -rf x\" why=3".to_owned())]);
        }
    }
}
