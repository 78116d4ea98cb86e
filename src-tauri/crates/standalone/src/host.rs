//! The composition: store, runtime and the outside world of one exported workflow.

use crate::args::Arguments;
use crate::audit_file;
use crate::audit_key;
use crate::audit_ring;
use crate::carried;
use crate::configuration::Configuration;
use crate::failure::Failure;
use crate::outside::{Ends, Inside, Outside};
use crate::secrets::GivenSecrets;
use signalbox_adapters::DocumentWorkers;
use signalbox_adapters::network::{self, Network};
use signalbox_adapters::script::ScriptWorkers;
use signalbox_adapters::{FolderFiles, Grant, PendingUploads, RealClock, RealIds, WebHttp, private};
use signalbox_model::bundle::{AuditKeeping, Bundle};
use signalbox_ports::{Clock, NoBrokers, NoRemoteFiles, World};
use signalbox_runtime::{Registry, Runtime, StoredAuditLog, StoredBinaries, StoredKeys};
use signalbox_store::{Store, StoreOptions};
use std::path::PathBuf;
use std::sync::Arc;

/// Everything that a command needs.
#[derive(Clone)]
pub(crate) struct Host {
    pub(crate) store: Store,
    pub(crate) runtime: Runtime,
    pub(crate) files: FolderFiles,
    pub(crate) secrets: Arc<GivenSecrets>,
    /// Why the audit chain is not signed.
    unsigned: Option<String>,
    pub(crate) audit: AuditKeeping,
    pub(crate) configuration: Arc<Configuration>,
    /// Folder of the indexes of documents.
    pub(crate) indexes: PathBuf,
    ends: Option<Arc<dyn Ends>>,
    /// Name of the program.
    pub(crate) name: String,
}

impl Host {
    /// Opens the data folder and creates what is missing.
    /// `kinds` are those that it has the code of; `connect` makes the part of the outside that not every program has.
    pub(crate) fn open(
        bundle: &Bundle,
        arguments: &Arguments,
        kinds: Registry,
        connect: Option<fn(&Inside<'_>) -> Outside>,
    ) -> Result<Self, Failure> {
        let data = data_folder(bundle, arguments)?;
        let grants = arguments.allow_dir.iter().map(|text| grant(text)).collect::<Result<Vec<_>, _>>()?;
        let configuration = Arc::new(Configuration::read(arguments.config.as_deref())?);
        let secrets = Arc::new(GivenSecrets::read(bundle, &configuration, arguments.secrets.as_deref())?);
        private::create_folder(&data).map_err(|error| {
            let message = format!("The data folder {} cannot be created: {error}.", data.display());
            Failure::invalid("IO_ERROR", message, "Name another folder with --data.")
        })?;
        let store = Store::open(&data, &StoreOptions::default())?;
        let unsigned = match audit_key::open(&data) {
            Ok(signer) => store.set_audit_signer(signer).err().map(|error| error.to_string()),
            Err(why) => Some(why),
        };
        let files = FolderFiles::with_data_folder(&data);
        files.remove_leftovers();
        files.set_grants(grants);
        let network = Network::from_environment()
            .map_err(|why| Failure::invalid("PROXY", why, "Correct or unset the variable that names the proxy."))?;
        network::set(network);
        let http = WebHttp::new(&[]).map_err(|why| {
            let message = format!("Requests cannot be sent from this machine: {why}.");
            Failure::invalid("NO_HTTP", message, "Report this fault.")
        })?;
        let http = Arc::new(http);
        let indexes = arguments.indexes.clone().unwrap_or_else(|| data.join("indexes"));
        let outside = connect.map_or_else(Outside::none, |connect| {
            connect(&Inside {
                bundle,
                configuration: Arc::clone(&configuration),
                store: store.clone(),
                files: files.clone(),
                http: Arc::clone(&http),
                secrets: Arc::clone(&secrets),
                indexes: indexes.clone(),
            })
        });
        let Outside { llm, tools, databases, mail, retrieval, ends } = outside;
        // Without a name it cannot be started, and says so then.
        let program = carried::own_program().unwrap_or_default();
        let world = Arc::new(World {
            http,
            files: Arc::new(files.clone()),
            clock: Arc::new(RealClock),
            audit: Arc::new(StoredAuditLog::new(store.clone())),
            secrets: Arc::<GivenSecrets>::clone(&secrets),
            llm,
            scripts: Arc::new(ScriptWorkers::new(program.clone())),
            documents: Arc::new(DocumentWorkers::new(program)),
            tools,
            binaries: Arc::new(StoredBinaries(store.clone())),
            remembered: Arc::new(StoredKeys(store.clone())),
            retrieval,
            databases,
            mail,
            // No step of an export speaks to one.
            brokers: Arc::new(NoBrokers),
            remote_files: Arc::new(NoRemoteFiles),
            uploads: Arc::new(PendingUploads::new(&data)),
        });
        let how = signalbox_runtime::Options::new(data.join("artifacts"));
        let runtime = Runtime::new(store.clone(), kinds, world, Arc::new(RealIds), how)
            .map_err(|error| Failure::no_thread(&error))?;
        let (audit, name) = (bundle.audit, bundle.name.clone());
        Ok(Self { store, runtime, files, secrets, unsigned, audit, configuration, indexes, ends, name })
    }

    /// What was found wrong when the data folder was opened, one sentence each.
    pub(crate) fn alarms(&self) -> Vec<String> {
        let unsigned = self.unsigned.iter().map(|why| format!("The audit chain is not signed: {why}."));
        self.store.alarms().iter().map(ToString::to_string).chain(unsigned).collect()
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        RealClock.now_ms()
    }

    /// Gives every run back, and writes the copy of the audit chain.
    pub(crate) async fn close(&self) -> Result<(), Failure> {
        self.runtime.shutdown().await;
        if let Some(ends) = &self.ends {
            ends.end().await;
        }
        let store = self.store.clone();
        let audit = self.audit;
        let closed = tokio::task::spawn_blocking(move || {
            let kept = keep_audit(&store, audit);
            store.close();
            kept
        });
        // A panic of it was told already.
        closed.await.unwrap_or(Ok(()))
    }
}

/// What the audit chain becomes at the end of a command.
pub(crate) fn keep_audit(store: &Store, audit: AuditKeeping) -> Result<(), Failure> {
    match audit {
        AuditKeeping::Sqlite => Ok(()),
        AuditKeeping::Jsonl => audit_file::copy(store),
        AuditKeeping::Ring => audit_ring::shorten(store, audit_ring::KEPT, audit_ring::MORE),
    }
}

pub(crate) fn data_folder(bundle: &Bundle, arguments: &Arguments) -> Result<PathBuf, Failure> {
    if let Some(data) = &arguments.data {
        return Ok(std::path::absolute(data).unwrap_or_else(|_| data.clone()));
    }
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = if cfg!(target_os = "windows") {
        var("APPDATA")
    } else if cfg!(target_os = "macos") {
        var("HOME").map(|home| home.join("Library/Application Support"))
    } else {
        var("XDG_DATA_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| var("HOME").map(|home| home.join(".local/share")))
    };
    base.map(|base| base.join("signalbox-programs").join(&bundle.name)).ok_or_else(|| {
        let message = "The folder for the data of programs is not known.";
        Failure::invalid("NO_DATA_FOLDER", message, "Name a folder with --data or SIGNALBOX_DATA.")
    })
}

fn grant(text: &str) -> Result<Grant, Failure> {
    let (path, write) = match text.strip_suffix(":rw") {
        Some(path) => (path, true),
        None => (text.strip_suffix(":ro").unwrap_or(text), false),
    };
    let bad = |why: String| {
        Failure::invalid(
            "BAD_FOLDER",
            format!("--allow-dir {text}: {why}."),
            "Name a folder that exists, or FOLDER:rw.",
        )
    };
    let folder = std::fs::canonicalize(path).map_err(|error| bad(error.to_string()))?;
    if !folder.is_dir() {
        return Err(bad("this is no folder".into()));
    }
    Ok(Grant { folder, workflow: None, write })
}
