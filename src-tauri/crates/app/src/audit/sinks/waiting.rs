//! An Audit step that names a sink: it waits until the sink has its entry.

use super::target::Target;
use crate::app::App;
use async_trait::async_trait;
use signalbox_runtime::AuditCopies;
use std::sync::Weak;

/// The sinks of an app, for its steps.
pub(crate) struct SinksOfApp(pub(crate) Weak<App>);

impl SinksOfApp {
    async fn ask(&self, work: impl FnOnce(&App) -> Result<(), String> + Send + 'static) -> Result<(), String> {
        let closing = || "Signalbox is closing".to_owned();
        let app = self.0.upgrade().ok_or_else(closing)?;
        let done = tokio::task::spawn_blocking(move || work(&app)).await;
        done.unwrap_or_else(|_| Err(closing()))
    }
}

#[async_trait]
impl AuditCopies for SinksOfApp {
    async fn find(&self, sink: &str) -> Result<(), String> {
        let name = sink.to_owned();
        self.ask(move |app| app.sink_named(&name).map(drop)).await
    }

    async fn copied(&self, sink: &str, seq: u64) -> Result<(), String> {
        let name = sink.to_owned();
        self.ask(move |app| app.copy_until(&name, seq)).await
    }
}

impl App {
    /// The error says which names there are, without a full stop.
    fn sink_named(&self, name: &str) -> Result<Target, String> {
        let all = self.places::<Target>().map_err(|error| error.message.trim_end_matches('.').to_owned())?;
        let names: Vec<&str> = all.iter().map(Target::name).collect();
        let there = match names.as_slice() {
            [] => "there is none in the settings".to_owned(),
            names => format!("the settings have {}", names.join(", ")),
        };
        all.iter().find(|target| target.name() == name).cloned().ok_or(there)
    }

    /// Copies to a sink until it has an entry. It gets those before it first, so that its copy has no gap.
    fn copy_until(&self, name: &str, seq: u64) -> Result<(), String> {
        let target = self.sink_named(name)?;
        if target.paused {
            return Err("it is paused; resume it, or clear the setting of the step".into());
        }
        let plain = |error: crate::error::ApiError| error.message.trim_end_matches('.').to_owned();
        if self.standing::<Target>(&target.id).map_err(plain)?.upto <= seq {
            self.copy_to(&target).map_err(plain)?;
        }
        let standing = self.standing::<Target>(&target.id).map_err(plain)?;
        if standing.upto > seq {
            return Ok(());
        }
        let why = standing.error.unwrap_or_else(|| "it has not taken it yet".into());
        Err(why.trim_end_matches('.').to_owned())
    }
}
