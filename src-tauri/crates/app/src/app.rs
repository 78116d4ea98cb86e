//! The composition: store, runtime, the outside world, library. One per process and data folder.

use crate::audit::signing::Signing;
use crate::audit::signing_key::AuditKeys;
use crate::audit::sinks::{SinkTurns, SinksOfApp};
use crate::dto::{Access, AuditVerdict, Folder, Host};
use crate::error::{ApiError, ApiResult};
use crate::host::clock;
use crate::host::files::{io_error, write_atomic};
use crate::host::metrics::collector::Collector;
use crate::host::sign_in::SignIns;
use crate::host::tracing::Telemetry;
use crate::models::KeptProviders;
use crate::runs::masked_views::Masked;
use crate::runs::paths::RunPaths;
use crate::runs::preview_limits::Previews;
use crate::runs::replay::driver::Replays;
use crate::runs::structured_log::RunLog;
use crate::runs::view_cache::Viewed;
use crate::secrets::{KnownSecrets, StepSecrets};
use crate::tasks::model_suggestion::Suggesting;
use crate::tasks::resume_tokens::ResumeTokens;
use crate::tool_servers::{BookOnThread, ToolBook};
use crate::triggers::Hooks;
use crate::workflows::library::{self, Library};
use crate::workflows::proofs::Proofs;
use crate::workflows::proposals::Planning;
use crate::workflows::step_names::Names;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use signalbox_adapters::DocumentWorkers;
use signalbox_adapters::keyring::{KeyRing, SystemRing};
use signalbox_adapters::script::ScriptWorkers;
use signalbox_adapters::vault::Given;
use signalbox_adapters::{
    DemoService, DemoServiceOnDemand, FolderFiles, Grant, MailServers, McpTools, MessageBrokers, Models, OpenFile,
    PendingUploads, PooledDatabases, RealClock, RealIds, SftpServers, Vault, WebHttp, mcp, private,
};
use signalbox_model::Workflow;
use signalbox_model::items::pages;
use signalbox_ports::{Clock, FileError, Http, World};
use signalbox_retrieval::IndexFolder;
use signalbox_runtime::{
    Error as RunError, Kept, Registry, RunResources, Runtime, StoredAuditLog, StoredBinaries, StoredKeys, pinned_files,
};
use signalbox_store::{History, RunRow, Store, StoreOptions};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Commands that run at once; each has a thread.
const AT_ONCE: usize = 32;

/// How an [`App`] is opened.
#[derive(Debug, Clone)]
pub struct Options {
    /// Who serves its commands.
    pub host: Host,
    /// Folders granted to this process only (`--allow-dir`).
    pub allow: Vec<Folder>,
    /// The process stays: it takes over runs whose process died, as soon as that is noticed.
    pub stays: bool,
    /// It is opened to read only, which a full disk does not keep it from; see [`StoreOptions::reads`].
    pub reads: bool,
}

/// Opens an address; whether it could.
type Browser = Box<dyn Fn(&str) -> bool + Send + Sync>;

/// Everything a host needs.
pub struct App {
    pub(crate) host: Host,
    /// This process stays, and drives what goes on.
    pub(crate) stays: bool,
    pub(crate) store: Store,
    pub(crate) runtime: Runtime,
    pub(crate) library: Library,
    pub(crate) demo_service: Arc<DemoServiceOnDemand>,
    /// For what needs an executor of its own whatever the host has: the demo service, waiting for the runtime.
    pub(crate) threads: Option<tokio::runtime::Runtime>,
    files: FolderFiles,
    /// For what the host itself sends.
    pub(crate) http: Arc<dyn Http>,
    /// Commands that run at once.
    pub(crate) turns: Arc<tokio::sync::Semaphore>,
    allow: Vec<Folder>,
    /// Folders that a browser may grant folders of.
    grant_roots: OnceLock<Vec<PathBuf>>,
    /// Paths that the system's dialogs gave: the window gets a handle, never a path that a later command trusts.
    choices: Mutex<HashMap<String, PathBuf>>,
    /// The run that was looked at last.
    pub(crate) viewed: Viewed,
    /// Expressions that are tried at the moment.
    pub(crate) previews: Previews,
    /// The iterations and branches of the run that was asked for last.
    pub(crate) paths: Mutex<Option<RunPaths>>,
    /// Who sees which run without masks, and the masks of the others.
    pub(crate) masked: Masked,
    /// Titles of nodes by definition.
    pub(crate) names: Mutex<HashMap<String, Arc<Names>>>,
    /// The audit chain is being verified.
    pub(crate) verifying: AtomicBool,
    /// What the last verification found, when it could not be kept in the store.
    pub(crate) unkept_verdict: Mutex<Option<AuditVerdict>>,
    /// Tools of registered servers.
    pub(crate) tools: Arc<McpTools>,
    /// Who is signing in to servers of tools.
    pub(crate) sign_ins: SignIns,
    /// Who is signing in with secrets.
    pub(crate) secret_sign_ins: SignIns,
    /// Webhooks, and who listens for one.
    pub(crate) hooks: Hooks,
    /// Opens an address in the person's browser; the window's host sets it.
    browser: OnceLock<Browser>,
    /// Who lets people and programs in.
    pub(crate) access_listener: OnceLock<Box<dyn Fn() + Send + Sync>>,
    /// The secrets of this machine.
    pub(crate) secrets: Arc<KnownSecrets>,
    /// Language models.
    pub(crate) models: Arc<Models>,
    /// The outside, for questions to models that are no step's.
    pub(crate) world: Arc<World>,
    /// Questions to models for corrections.
    pub(crate) suggesting: Suggesting,
    /// Plans that are under way.
    pub(crate) planning: Planning,
    /// Proofs that are under way.
    pub(crate) proofs: Arc<Proofs>,
    /// Replays that this process drives.
    pub(crate) replays: Replays,
    /// Who copies audit entries to which sink.
    pub(crate) sink_turns: SinkTurns,
    /// Who signs the audit chain.
    pub(crate) signing: Signing,
    /// What happens in runs, written down for whoever watches this process.
    pub(crate) run_log: RunLog,
    /// Tokens that snapshots of runs name.
    pub(crate) tokens: ResumeTokens,
    /// Counts what happens in runs, where somebody asks for metrics.
    pub(crate) collector: OnceLock<Arc<Collector>>,
    /// Sends spans, where tracing is on.
    pub(crate) telemetry: Telemetry,
    /// Why the proxy or the authorities of the settings cannot be used as they are.
    pub(crate) network_error: Mutex<Option<String>>,
}

impl App {
    /// Opens a data folder and creates what is missing. Runs that a crash left are taken up by [`App::resume_all`], or
    /// by themselves when the process stays.
    pub fn open(data: &Path, options: Options) -> ApiResult<Arc<Self>> {
        Self::open_on(data, options, None)
    }

    /// [`Self::open`] with the history in a database that several hosts share.
    pub fn open_on(data: &Path, options: Options, history: Option<History>) -> ApiResult<Arc<Self>> {
        Self::open_all(data, options, history, Arc::new(SystemRing::from_env()))
    }

    /// [`Self::open`] with a key store of one's own.
    pub fn open_with(data: &Path, options: Options, ring: Arc<dyn KeyRing>) -> ApiResult<Arc<Self>> {
        Self::open_all(data, options, None, ring)
    }

    fn open_all(
        data: &Path,
        options: Options,
        history: Option<History>,
        ring: Arc<dyn KeyRing>,
    ) -> ApiResult<Arc<Self>> {
        // Runs hold data of people: a new folder is for its owner only.
        private::create_folder(data).map_err(|error| io_error(&error, data, "created"))?;
        let store = Store::open(data, &StoreOptions { reads: options.reads, history, ..StoreOptions::default() })?;
        let clock = Arc::new(RealClock);
        let signing = Signing::start(AuditKeys::new(data, Arc::clone(&ring)), &store, clock.now_ms())?;
        let library = Library::open(data)?;
        let threads = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("signalbox-app")
            .enable_all()
            .build()
            .map_err(|error| ApiError::no_thread(&error))?;
        let files = FolderFiles::with_data_folder(data);
        files.remove_leftovers();
        let http = WebHttp::new(&[]).map_err(|why| {
            let message = format!("Requests cannot be sent from this machine: {why}.");
            ApiError::unavailable("NO_HTTP", message, "Report this fault.")
        })?;
        let audit = Arc::new(StoredAuditLog::new(store.clone()));
        let http = Arc::new(http);
        let vault = Arc::new(Vault::new(data, Given::from_env(), ring));
        let secrets = Arc::new(KnownSecrets::new(vault, store.clone(), clock.clone(), threads.handle().clone()));
        let step_secrets = Arc::new(StepSecrets(Arc::clone(&secrets)));
        let models = Arc::new(Models::new(
            Arc::clone(&http),
            Arc::new(KeptProviders::new(store.clone(), clock.clone())),
            Arc::<StepSecrets>::clone(&step_secrets),
        ));
        let http: Arc<dyn Http> = http;
        let book = Arc::new(BookOnThread(Arc::new(ToolBook {
            store: store.clone(),
            clock: clock.clone(),
            secrets: Arc::clone(&secrets),
        })));
        let tools = Arc::new(McpTools::new(
            book,
            Arc::<StepSecrets>::clone(&step_secrets),
            threads.handle().clone(),
            mcp::Limits::default(),
        ));
        let world = Arc::new(World {
            http: Arc::clone(&http),
            files: Arc::new(files.clone()),
            clock,
            audit: Arc::<StoredAuditLog>::clone(&audit),
            secrets: step_secrets,
            llm: Arc::<Models>::clone(&models),
            scripts: Arc::new(ScriptWorkers::of_this_program()),
            documents: Arc::new(DocumentWorkers::of_this_program()),
            tools: Arc::<McpTools>::clone(&tools),
            binaries: Arc::new(StoredBinaries(store.clone())),
            remembered: Arc::new(StoredKeys(store.clone())),
            retrieval: Arc::new(IndexFolder::new(data.join("indexes"))),
            databases: Arc::new(PooledDatabases::new(files.clone())),
            mail: Arc::new(MailServers::new(&[])),
            brokers: Arc::new(MessageBrokers::default()),
            remote_files: Arc::new(SftpServers),
            uploads: Arc::new(PendingUploads::new(data)),
        });
        let demo_service = Arc::new(DemoServiceOnDemand::default());
        let mut how = signalbox_runtime::Options::new(data.join("artifacts"));
        how.lists = Some((data.join("lists"), pages::IN_MEMORY));
        how.adopt = options.stays;
        let (own_store, own_demo_service, handle) =
            (store.clone(), Arc::clone(&demo_service), threads.handle().clone());
        how.beside = RunResources::new(move |run| {
            let lease = lease_of(&own_store, &own_demo_service, &handle, run)?;
            Some(Box::new(lease))
        });
        let runtime = Runtime::new(store.clone(), Registry::built_in(), Arc::clone(&world), Arc::new(RealIds), how)
            .map_err(|error| ApiError::no_thread(&error))?;
        let app = Arc::new(Self {
            host: options.host,
            stays: options.stays,
            store,
            runtime,
            library,
            demo_service,
            threads: Some(threads),
            files,
            http,
            turns: Arc::new(tokio::sync::Semaphore::new(AT_ONCE)),
            allow: options.allow,
            world,
            suggesting: Suggesting::default(),
            planning: Planning::default(),
            proofs: Arc::default(),
            replays: Replays::default(),
            choices: Mutex::default(),
            viewed: Viewed::default(),
            previews: Previews::default(),
            paths: Mutex::default(),
            masked: Masked::default(),
            names: Mutex::default(),
            verifying: AtomicBool::new(false),
            unkept_verdict: Mutex::default(),
            tools,
            sign_ins: SignIns::default(),
            secret_sign_ins: SignIns::default(),
            hooks: Hooks::default(),
            browser: OnceLock::new(),
            access_listener: OnceLock::new(),
            grant_roots: OnceLock::new(),
            secrets,
            models,
            sink_turns: SinkTurns::default(),
            signing,
            run_log: RunLog::default(),
            tokens: ResumeTokens::default(),
            collector: OnceLock::new(),
            telemetry: Telemetry::default(),
            network_error: Mutex::default(),
        });
        app.planning.belongs_to(&app);
        audit.copy_with(Arc::new(SinksOfApp(Arc::downgrade(&app))));
        app.grants_changed()?;
        // Before anything goes out.
        app.follow_network();
        if options.stays {
            app.verify_in_background();
            if let Some(threads) = &app.threads {
                app.look_for_key_in_background(threads.handle());
                app.index_in_background(threads.handle());
                app.anchor_in_background(threads.handle());
                app.copy_in_background(threads.handle());
                app.webhooks_in_background(threads.handle());
                app.alerts_in_background(threads.handle());
                app.task_copies_in_background(threads.handle());
                app.retain_in_background(threads.handle());
                app.back_up_in_background(threads.handle());
                app.check_updates_in_background(threads.handle());
                app.triggers_in_background(threads.handle());
                app.replays_in_background(threads.handle());
                app.watch_clock(threads.handle());
                app.stay_small_in_background(threads.handle());
            }
        }
        Ok(app)
    }

    /// What drives the runs of this process.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// The address of the database that several hosts share, without its password.
    pub fn history(&self) -> Option<String> {
        self.store.history()
    }

    /// A host that stays looks at the audit chain once at its start; what it finds is in `audit_status`.
    fn verify_in_background(self: &Arc<Self>) {
        let app = Arc::downgrade(self);
        // Without a thread the chain is verified when somebody asks.
        drop(std::thread::Builder::new().name("audit-verify".into()).spawn(move || {
            if let Some(app) = app.upgrade() {
                // What cannot be verified now stays `unknown`.
                drop(app.verify_audit_at_start());
            }
        }));
    }

    /// Waits for a future from a thread that may wait.
    pub(crate) fn wait_for<T: Send>(&self, future: impl Future<Output = T> + Send) -> ApiResult<T> {
        let threads = self.threads.as_ref().ok_or_else(closing)?;
        Ok(threads.block_on(future))
    }

    /// Goes on beside this on the app's own threads, until it is done or given up.
    pub(crate) fn in_background(
        &self,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> ApiResult<tokio::task::AbortHandle> {
        let threads = self.threads.as_ref().ok_or_else(closing)?;
        Ok(threads.spawn(work).abort_handle())
    }

    /// The app's own threads, for what goes on by itself.
    pub(crate) fn background(&self) -> ApiResult<tokio::runtime::Handle> {
        Ok(self.threads.as_ref().ok_or_else(closing)?.handle().clone())
    }

    /// Says how the host opens an address in the person's browser.
    pub fn set_browser(&self, open: impl Fn(&str) -> bool + Send + Sync + 'static) {
        // A host says so once.
        drop(self.browser.set(Box::new(open)));
    }

    /// Says of which folders a browser may grant folders; without this, of the home folder, to a builder on this machine.
    pub fn set_grant_roots(&self, roots: Vec<PathBuf>) {
        // A host says so once.
        drop(self.grant_roots.set(roots));
    }

    /// What [`Self::set_grant_roots`] was given.
    pub(crate) fn grant_roots(&self) -> Option<&[PathBuf]> {
        self.grant_roots.get().map(Vec::as_slice)
    }

    /// Opens an address in the person's browser, when the host can. Nothing but web pages.
    pub(crate) fn opens(&self, address: &str) -> bool {
        let web = url::Url::parse(address).is_ok_and(|url| matches!(url.scheme(), "https" | "http"));
        web && self.browser.get().is_some_and(|open| open(address))
    }

    /// The demo service of another run, for one with the same input.
    pub(crate) fn lease_again(&self, run_id: &str) -> Option<Kept> {
        let handle = self.threads.as_ref()?.handle();
        Some(Box::new(lease_of(&self.store, &self.demo_service, handle, run_id)?))
    }

    /// Whether a path is in the data folder, which no program that steps start is led to.
    pub(crate) fn is_closed(&self, path: &Path) -> bool {
        self.files.is_closed(path)
    }

    /// Whether a step of a workflow may use a path; the reason when it may not.
    pub(crate) fn may_use_path(&self, workflow: &str, path: &str, writes: bool) -> Result<(), String> {
        self.files.may(workflow, path, writes)
    }

    /// Opens a file that a step wrote, by its real path, if a folder that is open to the workflow still holds it.
    pub(crate) fn open_written(&self, workflow: &str, place: &str) -> Result<OpenFile, FileError> {
        self.files.open_written(workflow, place)
    }

    /// Tells the file steps which folders are granted now.
    pub(crate) fn grants_changed(&self) -> ApiResult<()> {
        let grants = self.folders()?.into_iter().map(|folder| Grant {
            folder: folder.folder.into(),
            workflow: folder.workflow_id,
            write: folder.access == Access::Rw,
        });
        self.files.set_grants(grants.collect());
        Ok(())
    }

    /// The data folder.
    pub fn data_dir(&self) -> &Path {
        self.store.folder()
    }

    /// Who serves.
    pub fn host(&self) -> Host {
        self.host
    }

    /// What was found wrong when the store was opened, one sentence each.
    pub fn alarms(&self) -> Vec<String> {
        self.store.alarms().iter().map(ToString::to_string).chain(self.signing.alarm()).collect()
    }

    /// Milliseconds since 1970.
    pub(crate) fn now_ms(&self) -> i64 {
        clock::now_ms()
    }

    /// Remembers a path that a person chose in a dialog of the system; the handle is what `workflow_open_path` and
    /// `folder_grant` take.
    pub fn choose(&self, path: PathBuf) -> String {
        let handle = format!("chosen:{}", uuid::Uuid::now_v7());
        self.choices.lock().unwrap_or_else(PoisonError::into_inner).insert(handle.clone(), path);
        handle
    }

    /// Writes what the page hands out (base64) to the path that a person named in a dialog of the system: the whole file
    /// or none of it.
    pub async fn save_chosen(path: PathBuf, base64: String) -> ApiResult<()> {
        let written = tokio::task::spawn_blocking(move || {
            let bytes = STANDARD.decode(base64).map_err(|error| {
                ApiError::bad_request(format!("The content is not base64: {error}."), "Save it again.")
            })?;
            write_atomic(&path, &bytes)
        });
        written.await.map_err(|error| {
            ApiError::unavailable("IO_ERROR", format!("The file was not written: {error}."), "Save it again.")
        })?
    }

    /// The path behind such a handle.
    pub(crate) fn chosen(&self, handle: &str) -> ApiResult<PathBuf> {
        let choices = self.choices.lock().unwrap_or_else(PoisonError::into_inner);
        choices.get(handle).cloned().ok_or_else(|| {
            ApiError::forbidden("This path was not chosen in a dialog of this window.", "Choose it in the dialog.")
        })
    }

    /// All grants that hold in this process.
    pub(crate) fn folders(&self) -> ApiResult<Vec<Folder>> {
        let kept = self.store.folders()?.into_iter().map(|grant| Folder {
            folder: grant.folder,
            workflow_id: grant.workflow_id,
            access: if grant.writable { Access::Rw } else { Access::Ro },
            library: grant.library,
        });
        Ok(kept.chain(self.allow.iter().cloned()).collect())
    }

    /// Folders whose workflows are listed.
    pub(crate) fn library_folders(&self) -> ApiResult<Vec<PathBuf>> {
        Ok(self.folders()?.into_iter().filter(|folder| folder.library).map(|folder| folder.folder.into()).collect())
    }

    /// The file of an id. The window may also name files that a person chose in its dialogs.
    pub(crate) fn path_of(&self, reference: &str) -> ApiResult<PathBuf> {
        let folders = self.library_folders()?;
        let path = self.library.path_of(reference, &folders)?;
        if self.host == Host::Http && !self.library.holds(&path, &folders) {
            return Err(library::unknown());
        }
        Ok(path)
    }

    /// The definition that a run is pinned to, when it can be read.
    pub(crate) fn pinned(&self, row: &RunRow) -> ApiResult<Option<Workflow>> {
        Ok(self.pinned_all(row)?.into_iter().next().map(Arc::unwrap_or_clone))
    }

    /// [`Self::pinned`], and then its sub-workflows.
    pub(crate) fn pinned_all(&self, row: &RunRow) -> ApiResult<Vec<Arc<Workflow>>> {
        match pinned_files(&self.store, row) {
            Ok((workflow, called)) => {
                Ok(std::iter::once(Arc::new(workflow)).chain(called.files.into_values()).collect())
            }
            Err(RunError::Store(error)) => Err(error.into()),
            Err(_) => Ok(Vec::new()),
        }
    }
}

impl Drop for App {
    fn drop(&mut self) {
        if let Some(threads) = self.threads.take() {
            // Never waits: an app may be dropped on any thread.
            threads.shutdown_background();
        }
    }
}

pub(crate) fn closing() -> ApiError {
    ApiError::unavailable("CLOSING", "Signalbox is closing.", "Start it again.")
}

/// The demo service at the address that a run has recorded, when its workflow asked for one.
fn lease_of(
    store: &Store,
    demo_service: &Arc<DemoServiceOnDemand>,
    handle: &tokio::runtime::Handle,
    run_id: &str,
) -> Option<Arc<DemoService>> {
    let row = store.run(run_id).ok()?;
    let text = store.definition_get(&row.definition_hash).ok()??;
    let workflow = serde_json::from_str(&text).ok()?;
    let names = signalbox_engine::params::practice(&workflow);
    if names.is_empty() {
        return None;
    }
    let params = match store.event(run_id, 1).ok()? {
        Some(start) => serde_json::to_value(start).ok()?["payload"]["params"].take(),
        // A run that has waited for its turn.
        None => store.run_start(run_id).ok()??["params"].take(),
    };
    let base = names.iter().find_map(|name| params[*name].as_str())?.to_owned();
    let demo_service = Arc::clone(demo_service);
    // On a thread of its own, because this one may belong to an executor.
    let handle = handle.clone();
    let started = std::thread::spawn(move || handle.block_on(demo_service.lease_at(&base)));
    // Another program may have the port: the run then says that the address does not answer.
    started.join().ok()?.ok()
}

/// The platform's folder for the data of programs.
pub fn default_data_dir() -> ApiResult<PathBuf> {
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
    base.map(|base| base.join("signalbox")).ok_or_else(|| {
        ApiError::bad_request(
            "The folder for the data of programs is not known.",
            "Name a folder with --data or SIGNALBOX_DATA.",
        )
    })
}
