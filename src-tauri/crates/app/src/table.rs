//! The one list of commands. A host offers what the list says, nothing else; the web UI's types, the OpenAPI document,
//! the role checks and their tests are made from it.

use crate::dto::{CallerRole, Host};
use schemars::{JsonSchema, Schema, SchemaGenerator};

/// Whether a command changes something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// It only looks.
    Query,
    /// It changes something.
    Action,
}

impl Kind {
    /// As written in the generated table.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query => "query",
            Self::Action => "action",
        }
    }
}

/// One command.
#[derive(Debug, Clone, Copy)]
pub struct Command {
    /// Its name, as in `POST /rpc/{name}`.
    pub name: &'static str,
    /// What it does, one line.
    pub about: &'static str,
    /// Query or action.
    pub kind: Kind,
    /// The least role of a caller.
    pub role: CallerRole,
    /// Hosts that offer it.
    pub hosts: &'static [Host],
    /// Queries that show something old afterwards.
    pub stale: &'static [&'static str],
    /// Schema of the request.
    pub request: fn(&mut SchemaGenerator) -> Schema,
    /// Schema of the answer.
    pub response: fn(&mut SchemaGenerator) -> Schema,
}

/// Schema of a type; what the table stores per command.
pub(crate) fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// Calls `$apply!` with the list. One row:
/// `kind name(Request) -> Response, LeastRole, [hosts], [queries that become stale], "about";`
macro_rules! command_list {
    ($apply:ident) => {
        $apply! {
            Query app_info(Empty) -> AppInfo, Viewer, [Desktop Http], [], "Version, host and data folder.";
            Query catalog_list(Empty) -> Kinds, Viewer, [Desktop Http], [], "All node kinds with their descriptors.";
            Query sample_list(Empty) -> Vec<Sample>, Viewer, [Desktop Http], [], "The samples of the gallery.";
            Query workflow_list(Empty) -> Vec<WorkflowEntry>, Viewer, [Desktop Http], [], "The files of the library.";
            Query workflow_open(ByRef) -> OpenWorkflow, Viewer, [Desktop Http], [], "One file with its draft and its diagnostics.";
            Action workflow_open_path(OpenPath) -> OpenWorkflow, Builder, [Desktop], [workflow_list], "A file that was chosen in the system's dialog.";
            Action workflow_create(WorkflowCreate) -> OpenWorkflow, Builder, [Desktop Http], [workflow_list], "A new file in the library, empty or from a sample.";
            Action workflow_save(WorkflowSave) -> Saved, Builder, [Desktop Http], [workflow_list workflow_open workflow_revision], "Writes a file; CONFLICT when it changed outside.";
            Action workflow_duplicate(WorkflowDuplicate) -> OpenWorkflow, Builder, [Desktop Http], [workflow_list], "A copy under a new name.";
            Action workflow_import(WorkflowImport) -> WorkflowImported, Builder, [Desktop Http], [workflow_list], "A file of another program as a new workflow of the library, with a report.";
            Action workflow_delete(ByRef) -> Empty, Builder, [Desktop Http], [workflow_list workflow_open workflow_revision], "Deletes a file; its runs stay.";
            Query workflow_revision(ByRef) -> Revision, Viewer, [Desktop Http], [], "The file's content hash now, to notice changes from outside.";
            Action draft_put(DraftPut) -> Empty, Builder, [Desktop Http], [], "Keeps changes that are not saved yet.";
            Action draft_discard(ByRef) -> Empty, Builder, [Desktop Http], [workflow_list workflow_open], "Forgets changes that are not saved.";
            Query workflow_validate(ValidateDocument) -> Vec<Diagnostic>, Viewer, [Desktop Http], [], "All diagnostics of a workflow; nothing is run.";
            Action run_start(RunStart) -> RunId, Operator, [Desktop Http], [run_list workflow_list], "Starts a run.";
            Action run_again(RunId) -> RunId, Operator, [Desktop Http], [run_list workflow_list], "Starts a new run of what a run was: its definition, with its input.";
            Query run_list(RunList) -> RunPage, Viewer, [Desktop Http], [], "The history, newest first.";
            Query run_get(RunId) -> RunDetails, Viewer, [Desktop Http], [], "One run with the definition that it pinned.";
            Query run_events(RunEventsAfter) -> Events, Viewer, [Desktop Http], [], "Events of a run; values over 10,240 characters are cut.";
            Query run_usage(RunId) -> RunUsage, Viewer, [Desktop Http], [], "What the questions of a run to language models cost, by step and model.";
            Query run_paths(RunPaths) -> RunPathPage, Viewer, [Desktop Http], [], "Iterations and branches of a run, and how far their containers are.";
            Action run_reveal(RunReveal) -> RunRevealed, Operator, [Desktop Http], [run_get run_list run_step_data audit_list], "Shows the masked values of a run for 15 minutes; the reason is recorded.";
            Query run_value(ValueRef) -> serde_json::Value, Viewer, [Desktop Http], [], "The whole of a cut value.";
            Query run_binary(RunBinaryGet) -> RunBinary, Operator, [Desktop Http], [], "Bytes that an item of a run names; not for who sees the run with masks.";
            Query run_diff(RunDiff) -> RunComparison, Viewer, [Desktop Http], [], "What two runs differ in.";
            Query run_diff_step(RunDiffStep) -> StepComparison, Viewer, [Desktop Http], [], "The values of one step in two runs.";
            Query rerun_look(RerunLook) -> RerunPlan, Operator, [Desktop Http], [], "What a re-run from a step would be; nothing is started.";
            Action run_rerun(RunRerun) -> RerunStarted, Operator, [Desktop Http], [run_list run_get task_list task_counts task_get audit_list], "Starts a new run at a step of another one.";
            Action run_send(RunSend) -> RunSent, Operator, [Desktop Http], [run_list run_get task_list task_counts task_get audit_list], "Sends a failed run to the inbox: a new run keeps what was done and asks a person about the call that failed.";
            Query run_checkpoint(CheckpointOf) -> Checkpoint, Viewer, [Desktop Http], [], "Where a run stands, or stood after an event.";
            Action run_cancel(RunId) -> Empty, Operator, [Desktop Http], [run_list run_get audit_list], "Cancels a run.";
            Action run_delete(RunId) -> Empty, Builder, [Desktop Http], [run_list run_get run_step_data workflow_list], "Deletes a run that has ended.";
            Action run_resume(RunId) -> Empty, Operator, [Desktop Http], [run_list run_get], "Continues a run that no process drives.";
            Query run_debug(RunId) -> RunDebug, Builder, [Desktop Http], [], "Where a run stands stopped, its breakpoints, and the calls that wait.";
            Action run_breakpoints(RunBreakpoints) -> Empty, Builder, [Desktop Http], [run_debug audit_list], "Sets the breakpoints of a run: these, no others.";
            Action run_pause(RunId) -> Empty, Builder, [Desktop Http], [run_debug run_list run_get audit_list], "Stops a run: what is under way ends, nothing begins.";
            Action run_continue(RunId) -> Empty, Builder, [Desktop Http], [run_debug run_list run_get audit_list], "Lets a stopped run go on to the next breakpoint.";
            Action run_step(RunId) -> Empty, Builder, [Desktop Http], [run_debug run_list run_get audit_list], "Lets a stopped run go on by one call.";
            Action run_edit_input(RunEditInput) -> RunInputEdited, Builder, [Desktop Http], [run_debug audit_list], "Gives a call that waits in a stopped run another input.";
            Query run_step_data(RunStepData) -> Option<StepData>, Viewer, [Desktop Http], [], "Input, output and config of a node in its last run.";
            Query expression_preview(ExpressionPreview) -> Preview, Viewer, [Desktop Http], [], "What an expression gives on the last run's data.";
            Query expression_names(ExpressionNames) -> Vec<ExpressionName>, Viewer, [Desktop Http], [], "Names that an expression of a node may use.";
            Query retry_timeline(RetryTimeline) -> Vec<TimelineStep>, Viewer, [Desktop Http], [], "The delays of a retry policy.";
            Query error_coverage(ByDocument) -> ErrorCoverage, Viewer, [Desktop Http], [], "Where the red ports of a workflow lead, and what is risky.";
            Query rules_check(RulesCheck) -> Vec<RuleProblem>, Viewer, [Desktop Http], [], "What is wrong with rules of error handling.";
            Query handler_dry_run(HandlerDryRun) -> HandlerDryRunResult, Viewer, [Desktop Http], [], "Which rule an error meets, and what follows; nothing is run.";
            Query past_errors(PastErrors) -> Vec<PastError>, Viewer, [Desktop Http], [], "Errors of past runs of a workflow.";
            Query who(Empty) -> Who, Viewer, [Desktop Http], [], "Who the caller is.";
            Query task_list(TaskList) -> TaskPage, Viewer, [Desktop Http], [], "What people are asked.";
            Query task_counts(TaskCountsRequest) -> TaskCounts, Viewer, [Desktop Http], [], "How many tasks stand where.";
            Query task_stats(TaskStatsRequest) -> TaskStats, Viewer, [Desktop Http], [], "What the tasks of a time say together, and the rules that decisions suggest.";
            Query task_get(TaskGet) -> Task, Viewer, [Desktop Http], [], "One task with everything that helps to decide, masked.";
            Query task_check(TaskCheckRequest) -> TaskCheck, Operator, [Desktop Http], [], "Whether a corrected input fits; nothing is stored.";
            Action task_complete(TaskComplete) -> TaskCompleted, Operator, [Desktop Http], [task_list task_counts task_get run_get run_list audit_list], "Answers a task; the first answer stands.";
            Action task_complete_many(TaskCompleteMany) -> TaskBatch, Operator, [Desktop Http], [task_list task_counts task_get run_get run_list audit_list], "Gives one answer to several tasks, each for itself.";
            Action task_claim(TaskRef) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Works on a task for the next 15 minutes.";
            Action task_release(TaskRef) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Works on a task no more.";
            Action task_reassign(TaskReassign) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Gives a task to somebody.";
            Action task_comment(TaskComment) -> TaskRow, Operator, [Desktop Http], [task_get], "Says something about a task.";
            Action task_snooze(TaskSnooze) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Hides a task until later.";
            Action task_hold(TaskHold) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get run_get audit_list], "Says that a task waits for somebody else, or does no more; its time stands still meanwhile.";
            Action task_reopen(TaskReopen) -> TaskReopened, Operator, [Desktop Http], [task_list task_counts task_get run_list run_get audit_list], "Has an ended task asked again, by a new run that keeps what stands before it.";
            Action task_view_save(TaskViewSave) -> Empty, Viewer, [Desktop Http], [task_counts], "Keeps a view of the caller's own.";
            Action task_view_forget(TaskViewForget) -> Empty, Viewer, [Desktop Http], [task_counts], "Forgets a view of the caller's own.";
            Query delegation_list(Empty) -> Vec<Delegation>, Viewer, [Desktop Http], [], "Who answers for the caller, and for whom the caller answers.";
            Action delegation_create(DelegationCreate) -> Delegation, Operator, [Desktop Http], [delegation_list task_list task_counts], "Lets somebody answer for the caller from one day to another.";
            Action delegation_end(DelegationEnd) -> Empty, Operator, [Desktop Http], [delegation_list task_list task_counts], "Ends a delegation now.";
            Action task_suggest(TaskRef) -> TaskSuggestion, Operator, [Desktop Http], [task_get audit_list], "Asks the default model for a correction; it costs, is recorded, and nothing is changed.";
            Action task_unsuggest(TaskRef) -> Empty, Operator, [Desktop Http], [], "Waits for the suggestion of a model no more.";
            Action task_attachment(TaskAttachmentGet) -> TaskFile, Operator, [Desktop Http], [task_get audit_list], "A file of a task, whole; that is recorded.";
            Action task_reveal(TaskReveal) -> TaskRevealed, Operator, [Desktop Http], [task_get audit_list], "Shows masked values; the reason is recorded.";
            Query audit_list(AuditList) -> AuditPage, Viewer, [Desktop Http], [], "Entries of the audit chain, newest first.";
            Query audit_facets(AuditFacetsRequest) -> AuditFacets, Viewer, [Desktop Http], [], "How many entries have which event, level and actor.";
            Query audit_get(AuditGet) -> AuditRecordView, Viewer, [Desktop Http], [], "One entry, its bytes and its hash computed again.";
            Action audit_verify(AuditVerify) -> AuditVerdict, Viewer, [Desktop Http], [audit_status], "Verifies the audit chain.";
            Query audit_status(Empty) -> AuditStatus, Viewer, [Desktop Http], [], "What the last verification found, and who signs.";
            Action audit_key_choose(AuditKeyChoose) -> AuditStatus, Builder, [Desktop Http], [audit_status audit_list], "Chooses where the key that signs the audit chain is kept.";
            Query audit_anchors(Empty) -> Vec<AuditAnchor>, Viewer, [Desktop Http], [], "Where checkpoints of the audit chain are kept outside.";
            Action audit_anchor_add(AnchorAdd) -> Vec<AuditAnchor>, Builder, [Desktop Http], [audit_anchors audit_status audit_list], "Keeps checkpoints in a folder or sends them to an address from now on.";
            Action audit_anchor_remove(AnchorRef) -> Vec<AuditAnchor>, Builder, [Desktop Http], [audit_anchors audit_status audit_list], "Anchors at a place no more; what it holds stays.";
            Action audit_anchor_now(Empty) -> Vec<AuditAnchor>, Operator, [Desktop Http], [audit_anchors audit_status audit_list], "Anchors at every place now.";
            Query audit_sinks(Empty) -> Vec<AuditSinkView>, Viewer, [Desktop Http], [], "Files that every audit entry is copied to.";
            Action audit_sink_add(SinkAdd) -> Vec<AuditSinkView>, Builder, [Desktop Http], [audit_sinks audit_list], "Copies every audit entry to a file in a folder from now on.";
            Action audit_sink_remove(SinkRef) -> Vec<AuditSinkView>, Builder, [Desktop Http], [audit_sinks audit_list], "Copies to a file no more; what it holds stays.";
            Action audit_sink_now(Empty) -> Vec<AuditSinkView>, Operator, [Desktop Http], [audit_sinks audit_list], "Copies what waits now.";
            Query audit_retention(Empty) -> AuditRetention, Viewer, [Desktop Http], [], "How long the audit chain keeps its entries, and what went so far.";
            Action audit_retention_set(AuditRetentionSet) -> AuditRetention, Builder, [Desktop Http], [audit_retention audit_list], "Chooses how long entries are kept.";
            Action audit_retention_now(Empty) -> AuditRetained, Builder, [Desktop Http], [audit_retention audit_list audit_facets audit_status], "Removes what the policy gives up; a signed entry stands for it.";
            Action audit_export(AuditExport) -> AuditExported, Operator, [Desktop Http], [audit_list audit_status], "Exports entries; that is recorded.";
            Action audit_record(AuditRecord) -> AuditRecorded, Operator, [Desktop Http], [audit_list], "Records an entry in the caller's name.";
            Action audit_accept_cut(AuditAcceptCut) -> AuditRecorded, Builder, [Desktop Http], [audit_list audit_status], "Says that it is known why the end of the chain is missing; the chain is judged by what is there from then on.";
            Action audit_erase(AuditErase) -> AuditRecorded, Builder, [Desktop Http], [audit_list audit_get audit_status], "Erases what an entry keeps apart; the chain stays valid, and that it was erased is recorded.";
            Query secret_status(Empty) -> SecretStatus, Operator, [Desktop Http], [], "Where the key of the secrets is kept, and whether they can be used.";
            Query secret_list(Empty) -> Vec<SecretEntry>, Operator, [Desktop Http], [], "Names, kinds and hosts of the secrets; never a value.";
            Action secret_set(SecretSet) -> SecretEntry, Builder, [Desktop Http], [secret_list model_list audit_list], "Keeps a secret, or replaces it whole.";
            Action secret_delete(SecretName) -> Empty, Builder, [Desktop Http], [secret_list model_list audit_list], "Deletes a secret.";
            Action secret_choose(SecretChoose) -> SecretStatus, Builder, [Desktop Http], [secret_status secret_list model_list audit_list], "Chooses where the key of the secrets is kept.";
            Action secret_unlock(SecretUnlock) -> SecretStatus, Builder, [Desktop Http], [secret_status secret_list model_list], "Opens secrets until the program ends: by their passphrase, or by asking the system's key store.";
            Query webhook_list(Empty) -> Vec<Webhook>, Operator, [Desktop Http], [], "Addresses that hear of tasks.";
            Action webhook_add(WebhookAdd) -> Vec<Webhook>, Builder, [Desktop Http], [webhook_list webhook_log audit_list], "Tells an address of tasks from now on.";
            Action webhook_remove(WebhookRef) -> Vec<Webhook>, Builder, [Desktop Http], [webhook_list webhook_log audit_list], "Tells an address of no tasks any more.";
            Query webhook_log(WebhookLog) -> Vec<WebhookDelivery>, Operator, [Desktop Http], [], "What addresses were told of tasks, the newest first.";
            Action webhook_again(WebhookAgain) -> WebhookDelivery, Builder, [Desktop Http], [webhook_list webhook_log audit_list], "Sends a message about a task again.";
            Action webhook_send(Empty) -> WebhooksSent, Builder, [Desktop Http], [webhook_list webhook_log], "Sends now what is due.";
            Query model_list(Empty) -> Models, Operator, [Desktop Http], [], "Providers of language models, and the model of steps that name none.";
            Action model_set(ModelSet) -> Models, Builder, [Desktop Http], [sample_list model_list model_names audit_list workflow_validate workflow_open], "Keeps a provider of language models, or replaces it whole.";
            Action model_delete(ModelRef) -> Models, Builder, [Desktop Http], [sample_list model_list model_names audit_list workflow_validate workflow_open], "Forgets a provider of language models; its secret stays.";
            Action model_default_set(ModelDefaultSet) -> Models, Builder, [Desktop Http], [sample_list model_list audit_list workflow_validate workflow_open], "Chooses the model of steps that name none.";
            Action model_budget_set(ModelBudgetSet) -> Models, Builder, [Desktop Http], [model_list audit_list workflow_validate workflow_open], "Sets what language models may cost on a day on this machine.";
            Action model_test(ModelTest) -> ModelTested, Builder, [Desktop Http], [], "Asks a provider for its models, or a model for a word.";
            Query model_names(ModelRef) -> ModelNames, Operator, [Desktop Http], [], "The models of a provider.";
            Action model_discover(Empty) -> Vec<ModelFound>, Builder, [Desktop Http], [], "Looks for servers of language models on this machine.";
            Query model_usage(ModelUsageRequest) -> UsageReport, Operator, [Desktop Http], [], "What language models cost, by day, workflow and model.";
            Query tool_server_list(Empty) -> Vec<ToolServer>, Operator, [Desktop Http], [], "Servers of tools, where they stand, and what differs from what was approved.";
            Action tool_server_set(ToolServerSet) -> ToolServer, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Registers a server of tools, or changes how it is started or reached.";
            Action tool_server_import(ToolServerImport) -> ToolServersImported, Builder, [Desktop Http], [tool_server_list audit_list workflow_validate workflow_open], "Registers the servers of a pasted mcp.json.";
            Action tool_server_delete(ToolServerName) -> Empty, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Deletes a server of tools and its approval.";
            Action tool_server_connect(ToolServerConnect) -> ToolServer, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Starts or reaches a server of tools and asks what it is.";
            Action tool_server_sign_in(ToolServerName) -> ToolServerSigningIn, Builder, [Desktop Http], [tool_server_list audit_list], "Begins to sign in to a server of tools: the address for the person's browser.";
            Action tool_server_sign_in_finish(ToolServerSignInFinish) -> ToolServer, Builder, [Desktop Http], [tool_server_list tool_list audit_list], "Ends a sign-in with the address that the browser was sent to.";
            Action tool_server_sign_out(ToolServerName) -> ToolServerSignedOut, Builder, [Desktop Http], [tool_server_list tool_list audit_list], "Forgets who signed in to a server of tools, and takes the tokens back.";
            Action tool_server_approve(ToolServerApprove) -> ToolServer, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Approves a server of tools as it was shown.";
            Action tool_server_say(ToolServerSay) -> ToolServer, Builder, [Desktop Http], [tool_server_list tool_list audit_list workflow_validate workflow_open], "Says of a tool whether it reads private data, can send data out, brings text from outside.";
            Query tool_list(Empty) -> Vec<Tool>, Viewer, [Desktop Http], [], "The tools that steps may call.";
            Query skill_list(SkillList) -> Vec<SkillEntry>, Builder, [Desktop Http], [], "The skills that agents of a workflow may unlock.";
            Action workflow_activate(WorkflowActivate) -> Activation, Builder, [Desktop Http], [activation_list workflow_versions trigger_list trigger_get audit_list], "Activates a version of a workflow: its triggers start runs; changes of the file stay a draft until they are activated.";
            Action workflow_deactivate(WorkflowNamed) -> Activation, Builder, [Desktop Http], [activation_list workflow_versions trigger_list trigger_get audit_list], "Deactivates a workflow: it starts no runs by itself; runs under way go on.";
            Query activation_list(Empty) -> Vec<Activation>, Viewer, [Desktop Http], [], "Workflows that are active, and those that were.";
            Query workflow_versions(WorkflowNamed) -> Vec<WorkflowVersion>, Viewer, [Desktop Http], [], "The versions of a workflow that are active, or were; the newest first.";
            Query trigger_list(TriggerList) -> Vec<Trigger>, Viewer, [Desktop Http], [], "Triggers of active workflows, and when they fire next.";
            Query trigger_get(TriggerRef) -> TriggerDetails, Viewer, [Desktop Http], [], "One trigger and its last firings.";
            Action trigger_fire(TriggerFire) -> RunId, Operator, [Desktop Http], [trigger_list trigger_get run_list audit_list], "Fires a trigger now, beside its schedule.";
            Query schedule_preview(SchedulePreviewRequest) -> SchedulePreview, Viewer, [Desktop Http], [], "When a schedule would fire.";
            Query settings_get(Empty) -> AppSettings, Viewer, [Desktop Http], [], "The caller's own look: theme, panes, keys, saved queries.";
            Action settings_set(SettingsSet) -> Empty, Viewer, [Desktop Http], [settings_get], "Keeps the caller's own look.";
            Query folder_list(Empty) -> Vec<Folder>, Viewer, [Desktop Http], [], "Granted folders.";
            Action folder_grant(FolderGrant) -> Empty, Builder, [Desktop], [folder_list workflow_list skill_list workflow_validate workflow_open], "Grants a folder that was chosen in the system's dialog.";
            Action folder_revoke(FolderRevoke) -> Empty, Builder, [Desktop], [folder_list workflow_list skill_list workflow_validate workflow_open], "Takes a grant back.";
        }
    };
}
pub(crate) use command_list;

macro_rules! rows {
    ($($kind:ident $name:ident($request:ty) -> $response:ty, $role:ident, [$($host:ident)*], [$($stale:ident)*], $about:literal;)*) => {
        /// All commands.
        pub const COMMANDS: &[Command] = &[$(Command {
            name: stringify!($name),
            about: $about,
            kind: Kind::$kind,
            role: CallerRole::$role,
            hosts: &[$(Host::$host),*],
            stale: &[$(stringify!($stale)),*],
            request: schema_of::<$request>,
            response: schema_of::<$response>,
        }),*];
    };
}

use crate::dto::*;
use signalbox_model::Diagnostic;
command_list!(rows);

/// The command of a name.
pub fn find(name: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.name == name)
}
