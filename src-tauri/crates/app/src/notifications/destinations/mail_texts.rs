//! Texts of mails about tasks, in the languages of the window.

use crate::dto::TaskMail;
use serde_json::{Value, json};

/// Languages that mails can be written in.
pub(super) const LANGUAGES: [&str; 2] = ["en", "zh"];

const ENGLISH: [(&str, &str); 6] = [
    ("subject", "[{{item.task.workflowName}}] {{item.task.title}}"),
    (
        "created",
        "{{item.task.title}}\n\nWorkflow: {{item.task.workflowName}}\nStep: {{item.task.step}}\nPriority: \
         {{item.task.priority}}\nAssigned to: {{item.task.assignee}}\nDue: {{item.task.expiresAt}}\nError: \
         {{item.task.errorMessage}}\n\nOpen the task: {{item.link}}\n",
    ),
    (
        "updated",
        "The task has changed: {{item.words.changes}}\n\nPriority: {{item.task.priority}}\nAssigned to: \
         {{item.task.assignee}}\nDue: {{item.task.expiresAt}}\nOverdue: {{item.words.overdue}}\n\nOpen the task: {{item.link}}\n",
    ),
    (
        "closed",
        "The task has ended: {{item.words.state}} {{item.words.action}}\nBy: {{item.task.decidedBy}}\n\n{{item.link}}\n",
    ),
    ("testSubject", "Signalbox: test"),
    ("test", "This is a test of the destination for tasks. Nothing is left to do.\n"),
];

const CHINESE: [(&str, &str); 6] = [
    ("subject", "[{{item.task.workflowName}}] {{item.task.title}}"),
    (
        "created",
        "{{item.task.title}}\n\n工作流：{{item.task.workflowName}}\n步骤：{{item.task.step}}\n优先级：{{item.task.priority}}\n\
         负责人：{{item.task.assignee}}\n截止时间：{{item.task.expiresAt}}\n错误：{{item.task.errorMessage}}\n\n\
         打开任务：{{item.link}}\n",
    ),
    (
        "updated",
        "任务已更改：{{item.words.changes}}\n\n优先级：{{item.task.priority}}\n负责人：{{item.task.assignee}}\n\
         截止时间：{{item.task.expiresAt}}\n已逾期：{{item.words.overdue}}\n\n打开任务：{{item.link}}\n",
    ),
    (
        "closed",
        "任务已结束：{{item.words.state}} {{item.words.action}}\n处理人：{{item.task.decidedBy}}\n\n{{item.link}}\n",
    ),
    ("testSubject", "Signalbox：测试"),
    ("test", "这是任务目的地的测试邮件，无需处理。\n"),
];

/// Values of a task, in English and Chinese.
const WORDS: [(&str, &str, &str); 27] = [
    ("open", "open", "待处理"),
    ("done", "done", "已完成"),
    ("expired", "expired", "已过期"),
    ("cancelled", "cancelled", "已取消"),
    ("superseded", "replaced by a new task", "已由新任务替代"),
    ("approve", "approved", "已批准"),
    ("reject", "rejected", "已驳回"),
    ("retry", "retry", "重试"),
    ("correct", "corrected", "已更正"),
    ("skip", "skipped", "已跳过"),
    ("alternative", "another path", "其他路径"),
    ("abort", "aborted", "已中止"),
    ("submit", "submitted", "已提交"),
    ("true", "yes", "是"),
    ("false", "no", "否"),
    ("title", "title", "标题"),
    ("state", "state", "状态"),
    ("severity", "severity", "严重程度"),
    ("priority", "priority", "优先级"),
    ("assignee", "assignee", "负责人"),
    ("candidateGroups", "groups", "候选组"),
    ("actions", "answers", "可选操作"),
    ("expiresAt", "due date", "截止时间"),
    ("escalationLevel", "escalation", "升级级别"),
    ("overdue", "overdue", "逾期"),
    ("errorMessage", "error", "错误"),
    ("errorCode", "error code", "错误代码"),
];

fn is_chinese(mail: Option<&TaskMail>) -> bool {
    mail.is_some_and(|mail| mail.language.as_deref() == Some("zh"))
}

/// The texts by name; later ones may use earlier ones.
pub(super) fn texts(mail: Option<&TaskMail>) -> [(&'static str, &'static str); 6] {
    if is_chinese(mail) { CHINESE } else { ENGLISH }
}

/// `item.words`: what a task says by values, in the language of the mail.
pub(super) fn words(mail: Option<&TaskMail>, task: &Value, changes: &[String]) -> Value {
    let chinese = is_chinese(mail);
    let word = |value: &str| {
        let known = WORDS.iter().find(|(name, _, _)| *name == value);
        known.map_or(value, |(_, english, other)| if chinese { other } else { english }).to_owned()
    };
    let of = |name: &str| match &task[name] {
        Value::Null => String::new(),
        Value::String(text) => word(text),
        other => word(&other.to_string()),
    };
    let changed: Vec<String> = changes.iter().map(|name| word(name)).collect();
    json!({
        "state": of("state"), "action": of("action"), "overdue": of("overdue"),
        "changes": changed.join(if chinese { "、" } else { ", " }),
    })
}

#[cfg(test)]
mod tests;
