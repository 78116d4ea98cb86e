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
            Query app_info(Empty) -> AppInfo, Viewer, [Desktop Http], [], "Returns version, host and data folder.";
            Query catalog_list(Empty) -> Kinds, Viewer, [Desktop Http], [], "Lists the step kinds with their descriptors.";
            Query connector_list(Empty) -> Vec<ConnectorEntry>, Viewer, [Desktop Http], [], "Lists the connectors with their operations.";
            Query connector_operation(ConnectorOperationGet) -> ConnectorOperation, Viewer, [Desktop Http], [], "Returns an operation of a connector with the schemas of its parameters and its result.";
            Action connector_add(ConnectorAdd) -> ConnectorAdded, Builder, [Desktop Http], [connector_list connector_operation], "Adds a connector from a connector file, an OpenAPI document or a GraphQL introspection; only a GraphQL endpoint that is named is asked.";
            Action connector_remove(ConnectorName) -> Empty, Builder, [Desktop Http], [connector_list connector_operation], "Removes an own connector; runs keep the operations they began with.";
            Query index_list(Empty) -> Vec<IndexEntry>, Operator, [Desktop Http], [], "Lists the indexes of documents.";
            Query index_show(IndexShow) -> IndexDetails, Operator, [Desktop Http], [], "Returns an index with its documents.";
            Query index_search(IndexSearch) -> Vec<IndexPassage>, Operator, [Desktop Http], [], "Finds passages of an index.";
            Action index_delete(IndexRef) -> Vec<IndexEntry>, Builder, [Desktop Http], [index_list index_show audit_list], "Deletes an index; documents and runs are kept.";
            Query sample_list(Empty) -> Vec<Sample>, Viewer, [Desktop Http], [], "Lists the samples of the gallery.";
            Query template_list(Empty) -> Vec<Template>, Viewer, [Desktop Http], [], "Lists the templates: ready workflows by job.";
            Query workflow_list(Empty) -> Vec<WorkflowEntry>, Viewer, [Desktop Http], [], "Lists the workflows of the library.";
            Query workflow_open(ByRef) -> OpenWorkflow, Viewer, [Desktop Http], [], "Opens a workflow file with its draft and diagnostics.";
            Action workflow_open_path(OpenPath) -> OpenWorkflow, Builder, [Desktop], [workflow_list], "Opens a file chosen in the system dialog.";
            Action workflow_create(WorkflowCreate) -> OpenWorkflow, Builder, [Desktop Http], [workflow_list], "Creates a workflow in the library, empty or from a sample.";
            Action workflow_save(WorkflowSave) -> Saved, Builder, [Desktop Http], [workflow_list workflow_open workflow_revision workflow_pins], "Saves a workflow; CONFLICT if the file was changed outside.";
            Action workflow_duplicate(WorkflowDuplicate) -> OpenWorkflow, Builder, [Desktop Http], [workflow_list], "Copies a workflow under a new name.";
            Query workflow_export_check(WorkflowExportCheck) -> WorkflowExportChecked, Builder, [Desktop Http], [], "Checks what a workflow needs as a program, and what keeps it from being exported; nothing is written.";
            Action workflow_export(WorkflowExport) -> WorkflowExported, Builder, [Desktop], [], "Writes a workflow as a program into a folder that was chosen in the system dialog.";
            Action workflow_import(WorkflowImport) -> WorkflowImported, Builder, [Desktop Http], [workflow_list], "Imports a file of another program as a new workflow, with a report.";
            Query import_preview(ImportPreview) -> ImportPreviewed, Builder, [Desktop Http], [], "Translates a cURL command or a file of another program and returns what it would become; nothing is saved.";
            Action workflow_delete(ByRef) -> Empty, Builder, [Desktop Http], [workflow_list workflow_open workflow_revision workflow_pins], "Deletes a workflow; its runs are kept.";
            Query workflow_revision(ByRef) -> Revision, Viewer, [Desktop Http], [], "Returns the current content hash of a file, to detect changes from outside.";
            Query workflow_pins(ByRef) -> PinList, Builder, [Desktop Http], [], "Lists the pinned outputs of a workflow.";
            Action workflow_pin(WorkflowPin) -> Pin, Builder, [Desktop Http], [workflow_pins], "Pins the output of a step for runs in the builder; active runs never use it.";
            Action workflow_unpin(StepOfRef) -> Empty, Builder, [Desktop Http], [workflow_pins], "Removes the pinned output of a step.";
            Action draft_put(DraftPut) -> Empty, Builder, [Desktop Http], [], "Saves a draft of unsaved changes.";
            Action draft_discard(ByRef) -> Empty, Builder, [Desktop Http], [workflow_list workflow_open], "Discards the draft of unsaved changes.";
            Query workflow_validate(ValidateDocument) -> Vec<Diagnostic>, Viewer, [Desktop Http], [], "Validates a workflow; nothing is run.";
            Query plan_get(ByRef) -> PlanView, Builder, [Desktop Http], [], "Returns the conversation with the planner about a workflow, its proposal, and what is under way.";
            Action plan_start(PlanStart) -> PlanView, Builder, [Desktop Http], [plan_get audit_list], "Asks the default model for a change of a workflow, or a question about it or a run; nothing is run, and no file is changed.";
            Action plan_try(PlanTry) -> PlanView, Builder, [Desktop Http], [plan_get run_list audit_list], "Tries a proposal: reads are run for real, writes only where they are allowed by name.";
            Action plan_cancel(ByRef) -> PlanView, Builder, [Desktop Http], [plan_get], "Cancels the plan of a workflow; the last valid draft is kept as the proposal.";
            Action plan_settle(PlanSettle) -> PlanView, Builder, [Desktop Http], [plan_get audit_list], "Records which part of a proposal a person accepted or rejected.";
            Action plan_forget(ByRef) -> Empty, Builder, [Desktop Http], [plan_get], "Deletes the conversation with the planner about a workflow, and its proposal.";
            Query plan_explain(PlanExplain) -> PlanExplanation, Viewer, [Desktop Http], [], "Explains what a workflow does, or why a run failed, with its steps and events; no model is asked.";
            Action run_start(RunStart) -> RunStarted, Operator, [Desktop Http], [run_list workflow_list], "Starts a run.";
            Action run_again(RunId) -> RunStarted, Operator, [Desktop Http], [run_list workflow_list], "Starts a new run with the definition and input of an earlier one.";
            Query failure_groups(FailureGroupList) -> FailureGroupPage, Viewer, [Desktop Http], [], "Lists groups of failed runs and open error tasks that are alike, those that failed last first.";
            Query failure_group(FailureGroupGet) -> FailureGroupDetails, Viewer, [Desktop Http], [], "Returns a group of failures with its replays, and the step that three corrections of one kind suggest.";
            Query failure_members(FailureList) -> FailurePage, Viewer, [Desktop Http], [], "Lists the open failures of a group, newest first.";
            Query failure_preview(FailurePreview) -> FailurePreviewPage, Operator, [Desktop Http], [], "Tries a correction on some failures of a group; nothing is started.";
            Query failure_preview_one(FailurePreviewOne) -> FailurePreviewed, Operator, [Desktop Http], [], "Tries a correction on one failure and returns its input before and after; nothing is started.";
            Action failure_propose(FailureGroupGet) -> FailureProposed, Builder, [Desktop Http], [failure_group plan_get workflow_open audit_list], "Proposes the correction that was used three times as a step of the workflow; a person accepts it in the builder.";
            Action replay_start(ReplayStart) -> Replay, Operator, [Desktop Http], [failure_groups failure_group failure_members replay_list replay_get run_list task_list task_counts audit_list], "Replays the failures of a group from their failed step with one correction.";
            Query replay_list(ReplayList) -> Vec<Replay>, Viewer, [Desktop Http], [], "Lists replays, those under way first.";
            Query replay_get(ReplayRef) -> Replay, Viewer, [Desktop Http], [], "Returns a replay with its progress.";
            Query replay_items(ReplayItems) -> ReplayItemPage, Viewer, [Desktop Http], [], "Lists the failures of a replay by what became of them.";
            Action replay_pause(ReplayRef) -> Replay, Operator, [Desktop Http], [failure_group replay_list replay_get audit_list], "Pauses a replay: no more runs begin until it is resumed.";
            Action replay_resume(ReplayRef) -> Replay, Operator, [Desktop Http], [failure_group replay_list replay_get audit_list], "Resumes a paused replay.";
            Action replay_stop(ReplayStop) -> Replay, Operator, [Desktop Http], [failure_groups failure_group failure_members replay_list replay_get run_list audit_list], "Stops a replay: no more runs begin, and those that have begun are cancelled if wanted.";
            Action replay_undo(ReplayRef) -> Replay, Operator, [Desktop Http], [failure_groups failure_group failure_members replay_list replay_get audit_list], "Takes back what a replay has not begun; what has begun goes on.";
            Query run_list(RunList) -> RunPage, Viewer, [Desktop Http], [], "Lists runs, newest first.";
            Query run_get(RunId) -> RunDetails, Viewer, [Desktop Http], [], "Returns a run with its pinned definition.";
            Query run_events(RunEventsAfter) -> Events, Viewer, [Desktop Http], [], "Lists the events of a run; values over 10,240 characters are truncated.";
            Query run_usage(RunId) -> RunUsage, Viewer, [Desktop Http], [], "Returns the model usage of a run by step and model.";
            Query run_paths(RunPaths) -> RunPathPage, Viewer, [Desktop Http], [], "Lists iterations and branches of a run with the progress of their containers.";
            Action run_reveal(RunReveal) -> RunRevealed, Operator, [Desktop Http], [run_get run_list run_step_data audit_list], "Shows the masked values of a run for 15 minutes; the reason is recorded.";
            Query run_value(ValueRef) -> serde_json::Value, Viewer, [Desktop Http], [], "Returns the full value of a truncated one.";
            Query run_binary(RunBinaryGet) -> RunBinary, Operator, [Desktop Http], [], "Returns a binary value of a run; not available while the run is masked.";
            Query run_files(RunId) -> RunFiles, Operator, [Desktop Http], [], "Lists the files that a run wrote, and whether they are still as it wrote them; not available while the run is masked.";
            Query run_diff(RunDiff) -> RunComparison, Viewer, [Desktop Http], [], "Compares two runs.";
            Query run_diff_step(RunDiffStep) -> StepComparison, Viewer, [Desktop Http], [], "Returns the values of a step in two runs.";
            Query rerun_look(RerunLook) -> RerunPlan, Operator, [Desktop Http], [], "Plans a re-run from a step; nothing is started.";
            Action run_rerun(RunRerun) -> RerunStarted, Operator, [Desktop Http], [run_list run_get task_list task_counts task_get audit_list], "Starts a new run from a step of another one.";
            Action run_send(RunSend) -> RunSent, Operator, [Desktop Http], [run_list run_get task_list task_counts task_get audit_list], "Sends a failed run to the inbox: a new run reuses the completed steps and asks a person about the failed call.";
            Action run_save_test(RunSaveTest) -> TestSaved, Builder, [Desktop Http], [test_list], "Saves a run as a test of its workflow: its input, the answers of the outside world, people's decisions, and what must come out.";
            Query test_list(ByRef) -> Vec<SavedTest>, Builder, [Desktop Http], [], "Lists the tests of a workflow.";
            Query test_get(TestGet) -> TestOpened, Builder, [Desktop Http], [], "Returns a test of a workflow: its mocks, recorded answers and expectations.";
            Action test_save(TestSave) -> TestSaved, Builder, [Desktop Http], [test_list test_get], "Saves a changed test of a workflow to its file.";
            Query test_run(TestRun) -> TestReport, Builder, [Desktop Http], [], "Runs tests of a workflow in memory, with recorded answers and simulated time; nothing outside is called.";
            Query workflow_prove(ByRef) -> ProofReport, Builder, [Desktop Http], [], "Runs a workflow in memory once for each fault that its steps may have, and reports what becomes of it.";
            Query proof_get(ByRef) -> ProofView, Builder, [Desktop Http], [], "Returns the last proof of a workflow, and how far the one is that is under way.";
            Action proof_start(ProofStart) -> ProofView, Builder, [Desktop Http], [proof_get], "Proves the error handling of a workflow in the background, as the editor shows it; nothing outside is called.";
            Action proof_cancel(ByRef) -> ProofView, Builder, [Desktop Http], [proof_get], "Cancels the proof of a workflow; the last one that ended is kept.";
            Action proof_save_test(ProofSaveTest) -> TestSaved, Builder, [Desktop Http], [test_list], "Saves a fault of a proof as a test of its workflow: with a mock, and what comes of it.";
            Query health_list(HealthList) -> HealthOverview, Viewer, [Desktop Http], [], "Returns how all workflows do: success, durations, cost, open tasks, proof scores.";
            Query health_get(HealthGet) -> WorkflowHealth, Viewer, [Desktop Http], [], "Returns how a workflow does by day, and which steps fail with which error.";
            Query health_alerts(Empty) -> HealthAlerts, Viewer, [Desktop Http], [], "Lists the alerts about the health of workflows, and which of them are raised.";
            Action health_alert_put(HealthAlertPut) -> HealthAlerts, Builder, [Desktop Http], [health_alerts health_list health_get audit_list], "Sets an alert: a condition over the health of a workflow or of every workflow; recorded.";
            Action health_alert_remove(HealthAlertId) -> HealthAlerts, Builder, [Desktop Http], [health_alerts health_list health_get audit_list], "Removes an alert; recorded.";
            Query run_checkpoint(CheckpointOf) -> Checkpoint, Viewer, [Desktop Http], [], "Returns the state of a run, now or after an event.";
            Query run_snapshot(RunId) -> WorkflowSnapshot, Viewer, [Desktop Http], [], "Returns a run as WorkflowSnapshot of the VL workflow format.";
            Query run_checkpoint_vl(CheckpointOf) -> WorkflowCheckpoint, Viewer, [Desktop Http], [], "Returns the state of a run as a checkpoint of the VL workflow format, from which a run can start; not available while the run is masked.";
            Action run_cancel(RunId) -> Empty, Operator, [Desktop Http], [run_list run_get audit_list], "Cancels a run.";
            Action run_delete(RunId) -> Empty, Builder, [Desktop Http], [run_list run_get run_step_data workflow_list], "Deletes an ended run.";
            Action run_resume(RunId) -> Empty, Operator, [Desktop Http], [run_list run_get], "Resumes a run that no process is executing.";
            Query run_debug(RunId) -> RunDebug, Builder, [Desktop Http], [], "Returns where a run is stopped, its breakpoints and the waiting calls.";
            Action run_breakpoints(RunBreakpoints) -> Empty, Builder, [Desktop Http], [run_debug audit_list], "Replaces the breakpoints of a run.";
            Action run_pause(RunId) -> Empty, Builder, [Desktop Http], [run_debug run_list run_get audit_list], "Pauses a run: running calls finish, no new call starts.";
            Action run_continue(RunId) -> Empty, Builder, [Desktop Http], [run_debug run_list run_get audit_list], "Continues a stopped run to the next breakpoint.";
            Action run_step(RunId) -> Empty, Builder, [Desktop Http], [run_debug run_list run_get audit_list], "Continues a stopped run by one call.";
            Action run_edit_input(RunEditInput) -> RunInputEdited, Builder, [Desktop Http], [run_debug audit_list], "Replaces the input of a call that waits in a stopped run.";
            Query run_step_data(RunStepData) -> Option<StepData>, Viewer, [Desktop Http], [], "Returns input, output and settings of a step in its last run.";
            Action expression_ask(ExpressionAsk) -> ExpressionAnswer, Builder, [Desktop Http], [], "Asks the default model for an expression and evaluates it on the data of the last run; nothing is changed.";
            Action expression_cancel(Empty) -> Empty, Builder, [Desktop Http], [], "Cancels the caller's request for an expression.";
            Query expression_preview(ExpressionPreview) -> Preview, Viewer, [Desktop Http], [], "Evaluates an expression on the data of the last run.";
            Query expression_try(ExpressionTry) -> Tried, Viewer, [Desktop Http], [], "Evaluates an expression on data that is given with it.";
            Query expression_names(ExpressionNames) -> Vec<ExpressionName>, Viewer, [Desktop Http], [], "Lists the names that an expression of a step can use.";
            Query retry_timeline(RetryTimeline) -> Vec<TimelineStep>, Viewer, [Desktop Http], [], "Computes the wait times of a retry policy.";
            Query error_coverage(ByDocument) -> ErrorCoverage, Viewer, [Desktop Http], [], "Reports where the error ports of a workflow lead, and the risks.";
            Query rules_check(RulesCheck) -> Vec<RuleProblem>, Viewer, [Desktop Http], [], "Validates error handling rules.";
            Query handler_dry_run(HandlerDryRun) -> HandlerDryRunResult, Viewer, [Desktop Http], [], "Tests which rule matches an error and what follows; nothing is run.";
            Query past_errors(PastErrors) -> Vec<PastError>, Viewer, [Desktop Http], [], "Lists errors of past runs of a workflow.";
            Query who(Empty) -> Who, Viewer, [Desktop Http], [], "Returns who the caller is.";
            Query task_list(TaskList) -> TaskPage, Viewer, [Desktop Http], [], "Lists tasks.";
            Query task_counts(TaskCountsRequest) -> TaskCounts, Viewer, [Desktop Http], [], "Counts the tasks of each view.";
            Query task_stats(TaskStatsRequest) -> TaskStats, Viewer, [Desktop Http], [], "Returns task statistics of a period, and suggested rules.";
            Query task_get(TaskGet) -> Task, Viewer, [Desktop Http], [], "Returns a task with everything needed to decide, masked.";
            Query task_check(TaskCheckRequest) -> TaskCheck, Operator, [Desktop Http], [], "Checks a corrected input; nothing is stored.";
            Action task_complete(TaskComplete) -> TaskCompleted, Operator, [Desktop Http], [task_list task_counts task_get run_get run_list audit_list], "Answers a task; only the first answer counts.";
            Action task_complete_many(TaskCompleteMany) -> TaskBatch, Operator, [Desktop Http], [task_list task_counts task_get run_get run_list audit_list], "Gives the same answer to several tasks, one by one.";
            Action task_claim(TaskRef) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Claims a task for 15 minutes.";
            Action task_release(TaskRef) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Releases a claimed task.";
            Action task_reassign(TaskReassign) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Reassigns a task.";
            Action task_comment(TaskComment) -> TaskRow, Operator, [Desktop Http], [task_get], "Adds a comment to a task.";
            Action task_snooze(TaskSnooze) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get], "Snoozes a task.";
            Action task_hold(TaskHold) -> TaskRow, Operator, [Desktop Http], [task_list task_counts task_get run_get audit_list], "Puts a task on hold, which pauses its deadline, or continues it.";
            Action task_reopen(TaskReopen) -> TaskReopened, Operator, [Desktop Http], [task_list task_counts task_get run_list run_get audit_list], "Reopens an ended task: a new run reuses all earlier results and asks again.";
            Action task_view_save(TaskViewSave) -> Empty, Viewer, [Desktop Http], [task_counts], "Saves a view of the caller.";
            Action task_view_forget(TaskViewForget) -> Empty, Viewer, [Desktop Http], [task_counts], "Deletes a view of the caller.";
            Query delegation_list(Empty) -> Vec<Delegation>, Viewer, [Desktop Http], [], "Lists the delegations to and from the caller.";
            Action delegation_create(DelegationCreate) -> Delegation, Operator, [Desktop Http], [delegation_list task_list task_counts], "Lets another person answer the caller's tasks for a time.";
            Action delegation_end(DelegationEnd) -> Empty, Operator, [Desktop Http], [delegation_list task_list task_counts], "Ends a delegation now.";
            Action task_suggest(TaskRef) -> TaskSuggestion, Operator, [Desktop Http], [task_get audit_list], "Asks the default model for a correction; this costs money, is recorded and changes nothing.";
            Action task_unsuggest(TaskRef) -> Empty, Operator, [Desktop Http], [], "Cancels a model suggestion.";
            Action task_attachment(TaskAttachmentGet) -> TaskFile, Operator, [Desktop Http], [task_get audit_list], "Downloads a file of a task; the download is recorded.";
            Action task_reveal(TaskReveal) -> TaskRevealed, Operator, [Desktop Http], [task_get audit_list], "Reveals masked values; the reason is recorded.";
            Query audit_list(AuditList) -> AuditPage, Viewer, [Desktop Http], [], "Lists audit entries, newest first.";
            Query audit_facets(AuditFacetsRequest) -> AuditFacets, Viewer, [Desktop Http], [], "Counts the entries by event, level and actor.";
            Query audit_get(AuditGet) -> AuditRecordView, Viewer, [Desktop Http], [], "Returns an entry with its bytes and recomputed hash.";
            Action audit_verify(AuditVerify) -> AuditVerdict, Viewer, [Desktop Http], [audit_status], "Verifies the audit chain.";
            Query audit_status(Empty) -> AuditStatus, Viewer, [Desktop Http], [], "Returns the result of the last verification, and the signing key.";
            Action audit_key_choose(AuditKeyChoose) -> AuditStatus, Builder, [Desktop Http], [audit_status audit_list], "Chooses where the signing key of the audit chain is kept.";
            Query audit_anchors(Empty) -> Vec<AuditAnchor>, Viewer, [Desktop Http], [], "Lists the anchors of the audit chain.";
            Action audit_anchor_add(AnchorAdd) -> Vec<AuditAnchor>, Builder, [Desktop Http], [audit_anchors audit_status audit_list], "Adds an anchor: a folder or an address for checkpoints.";
            Action audit_anchor_remove(AnchorRef) -> Vec<AuditAnchor>, Builder, [Desktop Http], [audit_anchors audit_status audit_list], "Removes an anchor; checkpoints already there are kept.";
            Action audit_anchor_now(Empty) -> Vec<AuditAnchor>, Operator, [Desktop Http], [audit_anchors audit_status audit_list], "Sends a checkpoint to every anchor now.";
            Query audit_sinks(Empty) -> Vec<AuditSinkView>, Viewer, [Desktop Http], [], "Lists the places to which audit entries are copied, and how far each is.";
            Action audit_sink_add(SinkAdd) -> Vec<AuditSinkView>, Builder, [Desktop Http], [audit_sinks audit_list], "Copies every audit entry to a file in a folder, or to a server, from now on.";
            Action audit_sink_remove(SinkRef) -> Vec<AuditSinkView>, Builder, [Desktop Http], [audit_sinks audit_list], "Stops copying to a place; what it holds is kept.";
            Action audit_sink_pause(SinkPause) -> Vec<AuditSinkView>, Builder, [Desktop Http], [audit_sinks audit_list], "Pauses copying to a place, or continues where it stopped.";
            Action audit_sink_test(SinkRef) -> SinkTest, Builder, [Desktop Http], [], "Checks whether a place would take entries now; sends none.";
            Action audit_sink_now(Empty) -> Vec<AuditSinkView>, Operator, [Desktop Http], [audit_sinks audit_list], "Copies waiting entries now.";
            Query audit_retention(Empty) -> AuditRetention, Viewer, [Desktop Http], [], "Returns how long entries are kept, and what was removed so far.";
            Action audit_retention_set(AuditRetentionSet) -> AuditRetention, Builder, [Desktop Http], [audit_retention audit_list], "Sets how long entries are kept.";
            Action audit_retention_now(Empty) -> AuditRetained, Builder, [Desktop Http], [audit_retention audit_list audit_facets audit_status], "Removes old entries now; a signed entry replaces them.";
            Action audit_export(AuditExport) -> AuditExported, Operator, [Desktop Http], [audit_list audit_status], "Exports entries; the export is recorded.";
            Action audit_record(AuditRecord) -> AuditRecorded, Operator, [Desktop Http], [audit_list], "Records an audit entry in the caller's name.";
            Action audit_accept_cut(AuditAcceptCut) -> AuditRecorded, Builder, [Desktop Http], [audit_list audit_status], "Accepts that the end of the chain is missing, with a reason; from then on the chain is judged by the entries it has.";
            Action audit_erase(AuditErase) -> AuditRecorded, Builder, [Desktop Http], [audit_list audit_get audit_status], "Erases the payload of an entry; the chain stays valid, and the erasure is recorded.";
            Query secret_status(Empty) -> SecretStatus, Operator, [Desktop Http], [], "Returns where the encryption key is kept and whether the secrets are usable.";
            Query secret_list(Empty) -> Vec<SecretEntry>, Operator, [Desktop Http], [], "Lists names, kinds and hosts of the secrets, never values.";
            Action secret_set(SecretSet) -> SecretEntry, Builder, [Desktop Http], [secret_list model_list audit_list], "Stores or replaces a secret.";
            Action secret_delete(SecretName) -> Empty, Builder, [Desktop Http], [secret_list model_list audit_list], "Deletes a secret.";
            Action secret_choose(SecretChoose) -> SecretStatus, Builder, [Desktop Http], [secret_status secret_list model_list audit_list], "Chooses where the encryption key of the secrets is kept.";
            Action secret_unlock(SecretUnlock) -> SecretStatus, Builder, [Desktop Http], [secret_status secret_list model_list], "Unlocks the secrets until the program ends, with their passphrase or through the system key store.";
            Query data_size(Empty) -> DataSize, Operator, [Desktop Http], [], "Returns how much room the data folder takes.";
            Action data_check(DataCheck) -> DataReport, Builder, [Desktop Http], [data_size], "Reads the whole data folder, says what is wrong, and repairs what can be repaired when asked to.";
            Query run_prune_preview(RunsPrune) -> RunsPruned, Builder, [Desktop Http], [], "Says which ended runs the rules would delete.";
            Action run_prune(RunsPrune) -> RunsPruned, Builder, [Desktop Http], [run_list run_get run_step_data workflow_list data_size], "Deletes the ended runs that the rules name.";
            Query backup_schedule(Empty) -> BackupSchedule, Operator, [Desktop Http], [], "Returns when backups are made automatically, and what became of the last one.";
            Action backup_schedule_set(BackupScheduleSet) -> BackupSchedule, Builder, [Desktop Http], [backup_schedule audit_list], "Sets when backups are made automatically; the folder is chosen in the window or at the terminal.";
            Action secret_sign_in(SecretName) -> SecretSigningIn, Builder, [Desktop Http], [secret_list audit_list], "Starts a sign-in to the service of a secret: returns the address for the person's browser, or a code.";
            Action secret_sign_in_finish(SecretSignInFinish) -> SecretEntry, Builder, [Desktop Http], [secret_list audit_list], "Finishes a sign-in with the address at which the browser ended.";
            Action secret_sign_out(SecretName) -> SecretSignedOut, Builder, [Desktop Http], [secret_list audit_list], "Signs out of the service of a secret and revokes the tokens.";
            Action secret_test(SecretTest) -> SecretTested, Builder, [Desktop Http], [secret_list audit_list], "Gets a secret as a step does, and sends it to an address, or signs in to a server, where one is given.";
            Action secret_trust(SecretTrust) -> SecretEntry, Builder, [Desktop Http], [secret_list audit_list], "Notes the key of an SSH server in a secret that knew none.";
            Query secret_uses(SecretName) -> Vec<SecretUse>, Operator, [Desktop Http], [], "Lists the workflows and steps that use a secret.";
            Query network_get(Empty) -> NetworkView, Operator, [Desktop Http], [], "Returns the proxy and the certificate authorities of this machine.";
            Action network_set(NetworkSet) -> NetworkView, Builder, [Desktop Http], [network_get audit_list], "Sets the proxy and the certificate authorities; on this machine only.";
            Action network_test(NetworkTest) -> NetworkTested, Builder, [Desktop Http], [], "Sends a request to an address by the proxy and the authorities of the settings, and returns what became of it.";
            Query updates_get(Empty) -> UpdatesView, Operator, [Desktop Http], [], "Returns whether newer releases are looked for, and what the last check found.";
            Action updates_set(UpdatesSet) -> UpdatesView, Builder, [Desktop Http], [updates_get audit_list], "Sets whether and where newer releases are looked for; on this machine only.";
            Action updates_check(Empty) -> UpdatesView, Builder, [Desktop Http], [updates_get], "Asks for the list of releases now.";
            Query telemetry_get(Empty) -> TelemetryView, Operator, [Desktop Http], [], "Returns whether and where spans of runs are sent, and what became of them.";
            Action telemetry_set(TelemetrySet) -> TelemetryView, Builder, [Desktop Http], [telemetry_get run_trace], "Sets whether and where spans of runs are sent; on this machine only.";
            Action telemetry_test(Empty) -> TelemetryTest, Builder, [Desktop Http], [telemetry_get], "Sends one span to the collector and returns what became of it.";
            Query run_trace(RunTraceOf) -> RunTraceView, Viewer, [Desktop Http], [], "Returns the trace of a run and the span of a step in it.";
            Query task_destination_list(Empty) -> Vec<TaskDestination>, Operator, [Desktop Http], [], "Lists the services that tasks are copied to.";
            Query task_destination_kinds(Empty) -> Vec<TaskDestinationKind>, Operator, [Desktop Http], [], "Lists the connectors that take tasks, with their settings.";
            Action task_destination_add(TaskDestinationAdd) -> Vec<TaskDestination>, Builder, [Desktop Http], [task_destination_list task_copy_log audit_list], "Adds a destination: a service that tasks are copied to.";
            Action task_destination_remove(TaskDestinationRef) -> Vec<TaskDestination>, Builder, [Desktop Http], [task_destination_list task_copy_log task_get audit_list], "Removes a destination; what stands at the service stays there.";
            Action task_destination_test(TaskDestinationRef) -> TaskDestinationTest, Builder, [Desktop Http], [], "Tests a destination: reads from the service, or sends a test mail.";
            Query task_copy_log(TaskCopyLog) -> Vec<TaskCopy>, Operator, [Desktop Http], [], "Lists where tasks stand at their destinations, newest first.";
            Action task_copy_again(TaskCopyRef) -> TaskCopy, Builder, [Desktop Http], [task_destination_list task_copy_log task_get audit_list], "Sends a task to its destination again.";
            Action task_copy_send(Empty) -> TaskCopiesSent, Builder, [Desktop Http], [task_destination_list task_copy_log task_get], "Sends due tasks to their destinations now.";
            Query webhook_list(Empty) -> Vec<Webhook>, Operator, [Desktop Http], [], "Lists the webhooks.";
            Action webhook_add(WebhookAdd) -> Vec<Webhook>, Builder, [Desktop Http], [webhook_list webhook_log audit_list], "Adds a webhook: an address to notify about tasks.";
            Action webhook_remove(WebhookRef) -> Vec<Webhook>, Builder, [Desktop Http], [webhook_list webhook_log audit_list], "Removes a webhook and its waiting messages.";
            Query webhook_log(WebhookLog) -> Vec<WebhookDelivery>, Operator, [Desktop Http], [], "Lists webhook messages, newest first.";
            Action webhook_again(WebhookAgain) -> WebhookDelivery, Builder, [Desktop Http], [webhook_list webhook_log audit_list], "Sends a webhook message again.";
            Action webhook_send(Empty) -> WebhooksSent, Builder, [Desktop Http], [webhook_list webhook_log], "Sends due webhook messages now.";
            Query model_list(Empty) -> Models, Operator, [Desktop Http], [], "Lists the model providers and the default model.";
            Action model_set(ModelSet) -> Models, Builder, [Desktop Http], [sample_list model_list model_names audit_list workflow_validate workflow_open], "Adds or replaces a model provider.";
            Action model_delete(ModelRef) -> Models, Builder, [Desktop Http], [sample_list model_list model_names audit_list workflow_validate workflow_open], "Removes a model provider; its secret is kept.";
            Action model_default_set(ModelDefaultSet) -> Models, Builder, [Desktop Http], [sample_list model_list audit_list workflow_validate workflow_open], "Sets the default model, for steps that name none.";
            Action model_budget_set(ModelBudgetSet) -> Models, Builder, [Desktop Http], [model_list audit_list workflow_validate workflow_open], "Sets the daily model budget of this machine.";
            Action model_test(ModelTest) -> ModelTested, Builder, [Desktop Http], [], "Tests a provider by listing its models, or a model by asking for one word.";
            Query model_names(ModelRef) -> ModelNames, Operator, [Desktop Http], [], "Lists the models of a provider.";
            Action model_discover(Empty) -> Vec<ModelFound>, Builder, [Desktop Http], [], "Finds model servers on this machine.";
            Query model_usage(ModelUsageRequest) -> UsageReport, Operator, [Desktop Http], [], "Returns model usage and costs by day, workflow and model.";
            Query tool_server_list(Empty) -> Vec<ToolServer>, Operator, [Desktop Http], [], "Lists the tool servers, their state, and what differs from what was approved.";
            Action tool_server_set(ToolServerSet) -> ToolServer, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Adds or changes a tool server.";
            Action tool_server_import(ToolServerImport) -> ToolServersImported, Builder, [Desktop Http], [tool_server_list audit_list workflow_validate workflow_open], "Adds the servers of a pasted mcp.json.";
            Action tool_server_delete(ToolServerName) -> Empty, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Deletes a tool server and its approval.";
            Action tool_server_connect(ToolServerConnect) -> ToolServer, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Connects to a tool server and loads its tools.";
            Action tool_server_sign_in(ToolServerName) -> ToolServerSigningIn, Builder, [Desktop Http], [tool_server_list audit_list], "Starts a sign-in to a tool server: returns the address for the person's browser.";
            Action tool_server_sign_in_finish(ToolServerSignInFinish) -> ToolServer, Builder, [Desktop Http], [tool_server_list tool_list audit_list], "Finishes a sign-in with the address at which the browser ended.";
            Action tool_server_sign_out(ToolServerName) -> ToolServerSignedOut, Builder, [Desktop Http], [tool_server_list tool_list audit_list], "Signs out of a tool server and revokes the tokens.";
            Action tool_server_approve(ToolServerApprove) -> ToolServer, Builder, [Desktop Http], [sample_list tool_server_list tool_list audit_list workflow_validate workflow_open], "Approves a tool server as it was shown.";
            Action tool_server_say(ToolServerSay) -> ToolServer, Builder, [Desktop Http], [tool_server_list tool_list audit_list workflow_validate workflow_open], "States whether a tool reads private data, can send data out, or returns untrusted text.";
            Query tool_list(Empty) -> Vec<Tool>, Viewer, [Desktop Http], [], "Lists the tools that steps can call.";
            Query skill_list(SkillList) -> Vec<SkillEntry>, Builder, [Desktop Http], [], "Lists the skills that agents of a workflow can learn.";
            Action workflow_activate(WorkflowActivate) -> Activation, Builder, [Desktop Http], [activation_list workflow_versions trigger_list trigger_get audit_list], "Activates a version of a workflow: its triggers start runs; changes of the file stay a draft until they are activated.";
            Action workflow_deactivate(WorkflowNamed) -> Activation, Builder, [Desktop Http], [activation_list workflow_versions trigger_list trigger_get audit_list], "Deactivates a workflow: its triggers start no more runs; running ones continue.";
            Query activation_list(Empty) -> Vec<Activation>, Viewer, [Desktop Http], [], "Workflows that are active, and those that were.";
            Query workflow_versions(WorkflowNamed) -> Vec<WorkflowVersion>, Viewer, [Desktop Http], [], "The versions of a workflow that are active, or were; the newest first.";
            Query trigger_list(TriggerList) -> Vec<Trigger>, Viewer, [Desktop Http], [], "Triggers of active workflows, and when they fire next.";
            Query trigger_get(TriggerRef) -> TriggerDetails, Viewer, [Desktop Http], [], "One trigger and its last firings.";
            Query failure_list(Empty) -> Vec<WorkflowFailure>, Viewer, [Desktop Http], [], "Failures of active workflows in the last 24 hours: one in an hour for each workflow.";
            Action trigger_fire(TriggerFire) -> RunStarted, Operator, [Desktop Http], [trigger_list trigger_get run_list audit_list], "Fires a trigger now, in addition to its schedule.";
            Query schedule_preview(SchedulePreviewRequest) -> SchedulePreview, Viewer, [Desktop Http], [], "When a schedule would fire.";
            Action poll_test(PollTest) -> PollTested, Builder, [Desktop Http], [run_list], "Asks the source of a New items step once, and shows what it lists; a workflow as the source runs for it.";
            Action database_tables(DatabaseTablesGet) -> DatabaseTables, Builder, [Desktop Http], [], "Tables and columns of the database that a step names, read only.";
            Query hook_preview(HookPreviewRequest) -> HookPreview, Viewer, [Desktop Http], [], "The address of a webhook step.";
            Action hook_listen(HookListen) -> HookListening, Builder, [Http], [], "Listens for one request at the test address of a webhook step, for three minutes; it starts nothing.";
            Query hook_heard(HookListener) -> HookHeard, Builder, [Http], [], "What was received at a test address.";
            Action hook_stop(HookListener) -> Empty, Builder, [Http], [], "Stops listening at a test address.";
            Query token_list(Empty) -> Vec<AccessToken>, Builder, [Desktop Http], [], "Lists the access tokens of the server; the tokens themselves are not kept.";
            Action token_add(TokenAdd) -> TokenAdded, Builder, [Desktop Http], [token_list audit_list], "Makes an access token, which is shown once; recorded.";
            Action token_revoke(TokenName) -> Empty, Builder, [Desktop Http], [token_list audit_list], "Revokes an access token; open answers to it end.";
            Query session_list(Empty) -> Vec<UserSession>, Builder, [Desktop Http], [], "Lists who is signed in to the server.";
            Action session_end(SessionRef) -> Empty, Builder, [Desktop Http], [session_list audit_list], "Ends the session of a person now; recorded.";
            Query workspace_list(Empty) -> Vec<Workspace>, Builder, [Desktop Http], [], "Lists the workspaces with their workflows, quotas, and what they have started.";
            Action workspace_put(WorkspacePut) -> Vec<Workspace>, Builder, [Desktop Http], [workspace_list audit_list], "Makes a workspace, or gives it another quota; recorded.";
            Action workspace_remove(WorkspaceName) -> Vec<Workspace>, Builder, [Desktop Http], [workspace_list audit_list], "Removes a workspace without workflows; recorded.";
            Action workspace_assign(WorkspaceAssign) -> Vec<Workspace>, Builder, [Desktop Http], [workspace_list audit_list], "Moves a workflow into a workspace, or out of it; recorded.";
            Query settings_get(Empty) -> AppSettings, Viewer, [Desktop Http], [], "Returns the caller's settings: theme, panes, keys, saved queries.";
            Action settings_set(SettingsSet) -> Empty, Viewer, [Desktop Http], [settings_get], "Saves the caller's settings.";
            Query folder_list(Empty) -> Vec<Folder>, Viewer, [Desktop Http], [], "Lists granted folders.";
            Query folder_browse(FolderBrowse) -> FolderListing, Builder, [Http], [], "Lists the subfolders of a folder of the server that may be granted; without a folder, the folders to begin with.";
            Action folder_grant(FolderGrant) -> Empty, Builder, [Desktop Http], [folder_list workflow_list skill_list workflow_validate workflow_open audit_list], "Grants a folder that was chosen in the system dialog or in folder_browse; recorded.";
            Action folder_revoke(FolderRevoke) -> Empty, Builder, [Desktop Http], [folder_list workflow_list skill_list workflow_validate workflow_open audit_list], "Revokes a grant; recorded.";
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
