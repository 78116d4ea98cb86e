//! The names of Signalbox's own audit entries (rules 3.1): the one list of what the product writes and of what nobody else
//! may write, neither a workflow's Audit step nor a caller of `POST /audit/record`.

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)+) => {
        /// What an entry of Signalbox's own tells.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum AuditEvent { $($(#[$doc])* $variant,)+ }

        impl AuditEvent {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// As it stands in an entry.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }
        }
    };
}

events! {
    /// A run began.
    WorkflowStarted = "WORKFLOW_STARTED",
    /// A call began.
    NodeStart = "NODE_START",
    /// A call ended well.
    NodeSuccess = "NODE_SUCCESS",
    /// A call failed.
    NodeError = "NODE_ERROR",
    /// A handler or the policy chose what follows an error.
    ErrorHandlerInvoked = "ERROR_HANDLER_INVOKED",
    /// A call goes again later.
    RetryScheduled = "RETRY_SCHEDULED",
    /// A repair of the input was tried.
    AutoFixAttempt = "AUTO_FIX_ATTEMPT",
    /// A person is asked.
    HitlCreated = "HITL_CREATED",
    /// A person answered.
    HitlCompleted = "HITL_COMPLETED",
    /// A person approved where several must; the last approval is `HITL_COMPLETED`.
    HitlVoted = "HITL_VOTED",
    /// Nobody answered in time, or an audit rule asks for more eyes.
    Escalated = "ESCALATED",
    /// A person said before which calls a run stops.
    BreakpointsSet = "BREAKPOINTS_SET",
    /// A run stopped before a call.
    WorkflowPaused = "WORKFLOW_PAUSED",
    /// A person let it go on.
    WorkflowContinued = "WORKFLOW_CONTINUED",
    /// A person changed the input of a call that waited.
    InputEdited = "INPUT_EDITED",
    /// A run ended.
    WorkflowCompleted = "WORKFLOW_COMPLETED",
    /// A person had a run begin again at a step.
    RunRerun = "RUN_RERUN",
    /// A person had a run end before its time.
    RunCancelled = "RUN_CANCELLED",
    /// A person had somebody asked about the call that failed a run.
    RunSentToInbox = "RUN_SENT_TO_INBOX",
    /// A person had many failed runs begin again with one correction.
    ReplayStarted = "REPLAY_STARTED",
    /// A person paused, resumed, stopped or took back such a replay, or it was paused because runs could not begin.
    ReplayChanged = "REPLAY_CHANGED",
    /// Such a replay has ended.
    ReplayEnded = "REPLAY_ENDED",
    /// A run was deleted.
    RunDeleted = "RUN_DELETED",
    /// A person took a task.
    TaskClaimed = "TASK_CLAIMED",
    /// A person gave a task back.
    TaskReleased = "TASK_RELEASED",
    /// A task went to somebody else.
    TaskReassigned = "TASK_REASSIGNED",
    /// A person wrote a remark.
    TaskCommented = "TASK_COMMENTED",
    /// A person put a task off.
    TaskSnoozed = "TASK_SNOOZED",
    /// The people whom a task waits for were reminded of it.
    TaskReminded = "TASK_REMINDED",
    /// A task waits for somebody else; its time stands still.
    TaskHeld = "TASK_HELD",
    /// It does no more.
    TaskContinued = "TASK_CONTINUED",
    /// A person had an ended task asked again.
    TaskReopened = "TASK_REOPENED",
    /// Somebody may answer for somebody else for a time.
    DelegationCreated = "DELEGATION_CREATED",
    /// They may no longer.
    DelegationEnded = "DELEGATION_ENDED",
    /// A person took a file of a task.
    AttachmentOpened = "ATTACHMENT_OPENED",
    /// A person asked a model for a correction.
    CorrectionSuggested = "CORRECTION_SUGGESTED",
    /// A person looked at masked values.
    Revealed = "REVEALED",
    /// An answer was not taken.
    AnswerRefused = "ANSWER_REFUSED",
    /// Entries left the installation.
    AuditExported = "AUDIT_EXPORTED",
    /// An export that an entry before it tells of did not come to its end.
    AuditExportFailed = "AUDIT_EXPORT_FAILED",
    /// A person kept a secret, or replaced one.
    SecretSet = "SECRET_SET",
    /// A person deleted a secret.
    SecretDeleted = "SECRET_DELETED",
    /// A person chose where the key of the secrets is kept.
    SecretsKeyChosen = "SECRETS_KEY_CHOSEN",
    /// A person gave up secrets that could not be opened.
    SecretsDiscarded = "SECRETS_DISCARDED",
    /// The chain does not verify.
    AuditVerifyFailed = "AUDIT_VERIFY_FAILED",
    /// A person knows that the end of the chain is missing.
    AuditCutAccepted = "AUDIT_CUT_ACCEPTED",
    /// A checkpoint is kept outside.
    AuditAnchored = "AUDIT_ANCHORED",
    /// A checkpoint could not be kept outside.
    AuditAnchorFailed = "AUDIT_ANCHOR_FAILED",
    /// A payload that is kept apart was erased.
    PayloadErased = "PAYLOAD_ERASED",
    /// The oldest entries were removed; this one stands for them.
    AuditRetention = "AUDIT_RETENTION",
    /// A person made a backup of the data folder; this one is in it.
    BackupCreated = "BACKUP_CREATED",
    /// A person chose when backups are made by themselves.
    BackupScheduleChanged = "BACKUP_SCHEDULE_CHANGED",
    /// The data folder was restored from a backup; the chain continues from there.
    BackupRestored = "BACKUP_RESTORED",
    /// A person chose where traces of runs go.
    TelemetryChanged = "TELEMETRY_CHANGED",
    /// A person set the proxy or the certificate authorities.
    NetworkChanged = "NETWORK_CHANGED",
    /// A person added, replaced or removed a connector.
    ConnectorChanged = "CONNECTOR_CHANGED",
    /// A person chose how long entries are kept.
    AuditRetentionChanged = "AUDIT_RETENTION_CHANGED",
    /// The clock went another way than time did.
    ClockJumped = "CLOCK_JUMPED",
    /// The key that signs the chain moved, or another one signs.
    AuditKeyChanged = "AUDIT_KEY_CHANGED",
    /// A place outside was added or removed.
    AuditAnchorChanged = "AUDIT_ANCHOR_CHANGED",
    /// A file that entries are copied to was added or removed.
    AuditSinkChanged = "AUDIT_SINK_CHANGED",
    /// A sink does not take entries; they wait.
    AuditSinkFailed = "AUDIT_SINK_FAILED",
    /// An address that hears of tasks was added or removed.
    WebhookChanged = "WEBHOOK_CHANGED",
    /// An address did not take a message about a task, and it is not tried any more.
    WebhookFailed = "WEBHOOK_FAILED",
    /// A person had a message about a task sent again.
    WebhookAgain = "WEBHOOK_AGAIN",
    /// A person set or removed an alert about the health of workflows.
    HealthAlertChanged = "HEALTH_ALERT_CHANGED",
    /// The condition of an alert became true for a workflow.
    HealthAlertRaised = "HEALTH_ALERT_RAISED",
    /// The condition of a raised alert is no longer true.
    HealthAlertCleared = "HEALTH_ALERT_CLEARED",
    /// A run was started with faults that a person put in.
    RunFaulted = "RUN_FAULTED",
    /// A service that tasks are copied to was added or removed.
    TaskDestinationChanged = "TASK_DESTINATION_CHANGED",
    /// A service did not take a task, and it is not tried any more.
    TaskCopyFailed = "TASK_COPY_FAILED",
    /// A person had a task sent to a service again.
    TaskCopyAgain = "TASK_COPY_AGAIN",
    /// An index of documents was deleted.
    IndexDeleted = "INDEX_DELETED",
    /// A provider of language models was set or removed.
    ModelProviderChanged = "MODEL_PROVIDER_CHANGED",
    /// A person chose the model of steps that name none.
    ModelDefaultChanged = "MODEL_DEFAULT_CHANGED",
    /// A person set what models may cost on this machine.
    ModelBudgetChanged = "MODEL_BUDGET_CHANGED",
    /// A person registered a tool server, or changed how it is started or reached.
    ToolServerSet = "TOOL_SERVER_SET",
    /// A person approved a tool server and the tools that it has.
    ToolServerApproved = "TOOL_SERVER_APPROVED",
    /// A person said what a tool does with data, or that it is guessed again.
    ToolWordSet = "TOOL_WORD_SET",
    /// A tool server is not what was approved; nothing is called until a person approves it again.
    ToolServerBlocked = "TOOL_SERVER_BLOCKED",
    /// A person signed in to a tool server.
    ToolServerSignedIn = "TOOL_SERVER_SIGNED_IN",
    /// A person signed out of a tool server.
    ToolServerSignedOut = "TOOL_SERVER_SIGNED_OUT",
    /// A sign-in to a tool server holds no more; a person has to sign in again.
    ToolServerSignInEnded = "TOOL_SERVER_SIGN_IN_ENDED",
    /// A person signed in to the service of a secret.
    SecretSignedIn = "SECRET_SIGNED_IN",
    /// A person signed out of the service of a secret.
    SecretSignedOut = "SECRET_SIGNED_OUT",
    /// A sign-in to the service of a secret holds no more; a person has to sign in again.
    SecretSignInEnded = "SECRET_SIGN_IN_ENDED",
    /// A person deleted a tool server.
    ToolServerDeleted = "TOOL_SERVER_DELETED",
    /// A person allowed a folder to workflows.
    FolderGranted = "FOLDER_GRANTED",
    /// A person took back the grant of a folder.
    FolderRevoked = "FOLDER_REVOKED",
    /// A person put a workflow into the library.
    WorkflowCreated = "WORKFLOW_CREATED",
    /// A person changed the file of a workflow.
    WorkflowSaved = "WORKFLOW_SAVED",
    /// A person deleted the file of a workflow.
    WorkflowDeleted = "WORKFLOW_DELETED",
    /// A person activated a version of a workflow: its triggers start runs.
    WorkflowActivated = "WORKFLOW_ACTIVATED",
    /// A person deactivated a workflow: its triggers start no more runs.
    WorkflowDeactivated = "WORKFLOW_DEACTIVATED",
    /// A person had a model draft a workflow.
    PlanProposed = "PLAN_PROPOSED",
    /// A person saved a drafted workflow.
    PlanAccepted = "PLAN_ACCEPTED",
    /// A server began to listen.
    ServerStarted = "SERVER_STARTED",
    /// A server uses another certificate.
    ServerCertificateChanged = "SERVER_CERTIFICATE_CHANGED",
    /// A person signed in to a server by an identity provider.
    UserSignedIn = "USER_SIGNED_IN",
    /// Somebody was not let in.
    UserSignInRefused = "USER_SIGN_IN_REFUSED",
    /// The session of a person ended.
    UserSignedOut = "USER_SIGNED_OUT",
    /// The identity provider gives a person who is signed in another role.
    UserRoleChanged = "USER_ROLE_CHANGED",
    /// A person made an access token of a server.
    TokenCreated = "TOKEN_CREATED",
    /// A person revoked an access token of a server.
    TokenRevoked = "TOKEN_REVOKED",
    /// A person made a workspace of a server, or gave it another quota.
    WorkspaceChanged = "WORKSPACE_CHANGED",
    /// A person removed a workspace of a server.
    WorkspaceRemoved = "WORKSPACE_REMOVED",
    /// A person put a workflow into a workspace, or took it out.
    WorkspaceAssigned = "WORKSPACE_ASSIGNED",
    /// A person freed the name of somebody who had signed in.
    PersonForgotten = "PERSON_FORGOTTEN",
    /// A trigger started a run.
    TriggerFired = "TRIGGER_FIRED",
    /// A trigger was due and started no run.
    TriggerSkipped = "TRIGGER_SKIPPED",
    /// A call of a tool that a model asked for was not made: a rule or a person does not allow it.
    ToolRefused = "TOOL_REFUSED",
}

/// Older names of the same facts (K-12): read on import, never written, so not free either.
const OLDER: [&str; 9] = [
    "HUMAN_TASK_COMPLETED",
    "node.error",
    "node.error.created",
    "error.handler.invoked",
    "node.retried",
    "node.auto_fix.attempt",
    "human.task.created",
    "human.task.completed",
    "human.task.expired",
];

impl From<AuditEvent> for String {
    fn from(event: AuditEvent) -> Self {
        event.as_str().to_owned()
    }
}

impl AuditEvent {
    /// The event of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|event| event.as_str() == name)
    }

    /// Whether nobody but Signalbox may write an entry of this name. Neither other capitals nor spaces make it another.
    #[must_use]
    pub fn is_reserved(name: &str) -> bool {
        let name = name.trim();
        let same = |own: &str| own.eq_ignore_ascii_case(name);
        Self::ALL.iter().any(|event| same(event.as_str())) || OLDER.iter().any(|older| same(older))
    }
}

#[cfg(test)]
mod tests {
    use super::AuditEvent;

    #[test]
    fn own_names_are_not_free_in_any_dress() {
        for event in AuditEvent::ALL {
            assert_eq!(AuditEvent::parse(event.as_str()), Some(*event));
            assert!(AuditEvent::is_reserved(&format!(" {} ", event.as_str().to_lowercase())));
        }
        assert!(AuditEvent::is_reserved("node.error"));
        assert!(!AuditEvent::is_reserved("ORDER_REFUSED"));
    }
}
