//! Written by tests/table.rs from the files of node-catalog/. Do not edit.

use crate::Entry;

#[path = "kinds/a2a_agent.rs"]
mod a2a_agent;
#[path = "kinds/agent_task.rs"]
mod agent_task;
#[path = "kinds/builtin_audit.rs"]
mod builtin_audit;
#[path = "kinds/builtin_error_as_context.rs"]
mod builtin_error_as_context;
#[path = "kinds/builtin_error_handler.rs"]
mod builtin_error_handler;
#[path = "kinds/builtin_human_approval.rs"]
mod builtin_human_approval;
#[path = "kinds/builtin_human_decision.rs"]
mod builtin_human_decision;
#[path = "kinds/builtin_human_form.rs"]
mod builtin_human_form;
#[path = "kinds/builtin_self_healing.rs"]
mod builtin_self_healing;
#[path = "kinds/code_javascript.rs"]
mod code_javascript;
#[path = "kinds/data_aggregate.rs"]
mod data_aggregate;
#[path = "kinds/data_compare.rs"]
mod data_compare;
#[path = "kinds/data_date.rs"]
mod data_date;
#[path = "kinds/data_dedupe.rs"]
mod data_dedupe;
#[path = "kinds/data_filter.rs"]
mod data_filter;
#[path = "kinds/data_format.rs"]
mod data_format;
#[path = "kinds/data_group.rs"]
mod data_group;
#[path = "kinds/data_limit.rs"]
mod data_limit;
#[path = "kinds/data_merge.rs"]
mod data_merge;
#[path = "kinds/data_number.rs"]
mod data_number;
#[path = "kinds/data_parse.rs"]
mod data_parse;
#[path = "kinds/data_pick.rs"]
mod data_pick;
#[path = "kinds/data_remember.rs"]
mod data_remember;
#[path = "kinds/data_rename.rs"]
mod data_rename;
#[path = "kinds/data_set.rs"]
mod data_set;
#[path = "kinds/data_sort.rs"]
mod data_sort;
#[path = "kinds/data_split.rs"]
mod data_split;
#[path = "kinds/data_summarise.rs"]
mod data_summarise;
#[path = "kinds/data_text.rs"]
mod data_text;
#[path = "kinds/data_transform.rs"]
mod data_transform;
#[path = "kinds/file_list.rs"]
mod file_list;
#[path = "kinds/file_read.rs"]
mod file_read;
#[path = "kinds/file_write.rs"]
mod file_write;
#[path = "kinds/flow_break.rs"]
mod flow_break;
#[path = "kinds/flow_fail.rs"]
mod flow_fail;
#[path = "kinds/flow_if.rs"]
mod flow_if;
#[path = "kinds/flow_loop.rs"]
mod flow_loop;
#[path = "kinds/flow_noop.rs"]
mod flow_noop;
#[path = "kinds/flow_parallel.rs"]
mod flow_parallel;
#[path = "kinds/flow_pause.rs"]
mod flow_pause;
#[path = "kinds/flow_respond.rs"]
mod flow_respond;
#[path = "kinds/flow_stop.rs"]
mod flow_stop;
#[path = "kinds/flow_subworkflow.rs"]
mod flow_subworkflow;
#[path = "kinds/flow_switch.rs"]
mod flow_switch;
#[path = "kinds/flow_wait.rs"]
mod flow_wait;
#[path = "kinds/http_request.rs"]
mod http_request;
#[path = "kinds/llm_chat.rs"]
mod llm_chat;
#[path = "kinds/mcp_tool.rs"]
mod mcp_tool;
#[path = "kinds/rag_index.rs"]
mod rag_index;
#[path = "kinds/rag_retrieve.rs"]
mod rag_retrieve;
#[path = "kinds/trigger_error.rs"]
mod trigger_error;
#[path = "kinds/trigger_file_watch.rs"]
mod trigger_file_watch;
#[path = "kinds/trigger_form.rs"]
mod trigger_form;
#[path = "kinds/trigger_manual.rs"]
mod trigger_manual;
#[path = "kinds/trigger_poll.rs"]
mod trigger_poll;
#[path = "kinds/trigger_schedule.rs"]
mod trigger_schedule;
#[path = "kinds/trigger_webhook.rs"]
mod trigger_webhook;

#[rustfmt::skip]
pub(crate) const TABLE: &[Entry] = &[
    Entry { kind: "a2a.agent", yaml: include_str!("../../../../node-catalog/a2a.agent.yaml"), code: a2a_agent::KIND },
    Entry { kind: "agent.task", yaml: include_str!("../../../../node-catalog/agent.task.yaml"), code: agent_task::KIND },
    Entry { kind: "builtin.audit", yaml: include_str!("../../../../node-catalog/builtin.audit.yaml"), code: builtin_audit::KIND },
    Entry { kind: "builtin.error_as_context", yaml: include_str!("../../../../node-catalog/builtin.error_as_context.yaml"), code: builtin_error_as_context::KIND },
    Entry { kind: "builtin.error_handler", yaml: include_str!("../../../../node-catalog/builtin.error_handler.yaml"), code: builtin_error_handler::KIND },
    Entry { kind: "builtin.human_approval", yaml: include_str!("../../../../node-catalog/builtin.human_approval.yaml"), code: builtin_human_approval::KIND },
    Entry { kind: "builtin.human_decision", yaml: include_str!("../../../../node-catalog/builtin.human_decision.yaml"), code: builtin_human_decision::KIND },
    Entry { kind: "builtin.human_form", yaml: include_str!("../../../../node-catalog/builtin.human_form.yaml"), code: builtin_human_form::KIND },
    Entry { kind: "builtin.self_healing", yaml: include_str!("../../../../node-catalog/builtin.self_healing.yaml"), code: builtin_self_healing::KIND },
    Entry { kind: "code.javascript", yaml: include_str!("../../../../node-catalog/code.javascript.yaml"), code: code_javascript::KIND },
    Entry { kind: "data.aggregate", yaml: include_str!("../../../../node-catalog/data.aggregate.yaml"), code: data_aggregate::KIND },
    Entry { kind: "data.compare", yaml: include_str!("../../../../node-catalog/data.compare.yaml"), code: data_compare::KIND },
    Entry { kind: "data.date", yaml: include_str!("../../../../node-catalog/data.date.yaml"), code: data_date::KIND },
    Entry { kind: "data.dedupe", yaml: include_str!("../../../../node-catalog/data.dedupe.yaml"), code: data_dedupe::KIND },
    Entry { kind: "data.filter", yaml: include_str!("../../../../node-catalog/data.filter.yaml"), code: data_filter::KIND },
    Entry { kind: "data.format", yaml: include_str!("../../../../node-catalog/data.format.yaml"), code: data_format::KIND },
    Entry { kind: "data.group", yaml: include_str!("../../../../node-catalog/data.group.yaml"), code: data_group::KIND },
    Entry { kind: "data.limit", yaml: include_str!("../../../../node-catalog/data.limit.yaml"), code: data_limit::KIND },
    Entry { kind: "data.merge", yaml: include_str!("../../../../node-catalog/data.merge.yaml"), code: data_merge::KIND },
    Entry { kind: "data.number", yaml: include_str!("../../../../node-catalog/data.number.yaml"), code: data_number::KIND },
    Entry { kind: "data.parse", yaml: include_str!("../../../../node-catalog/data.parse.yaml"), code: data_parse::KIND },
    Entry { kind: "data.pick", yaml: include_str!("../../../../node-catalog/data.pick.yaml"), code: data_pick::KIND },
    Entry { kind: "data.remember", yaml: include_str!("../../../../node-catalog/data.remember.yaml"), code: data_remember::KIND },
    Entry { kind: "data.rename", yaml: include_str!("../../../../node-catalog/data.rename.yaml"), code: data_rename::KIND },
    Entry { kind: "data.set", yaml: include_str!("../../../../node-catalog/data.set.yaml"), code: data_set::KIND },
    Entry { kind: "data.sort", yaml: include_str!("../../../../node-catalog/data.sort.yaml"), code: data_sort::KIND },
    Entry { kind: "data.split", yaml: include_str!("../../../../node-catalog/data.split.yaml"), code: data_split::KIND },
    Entry { kind: "data.summarise", yaml: include_str!("../../../../node-catalog/data.summarise.yaml"), code: data_summarise::KIND },
    Entry { kind: "data.text", yaml: include_str!("../../../../node-catalog/data.text.yaml"), code: data_text::KIND },
    Entry { kind: "data.transform", yaml: include_str!("../../../../node-catalog/data.transform.yaml"), code: data_transform::KIND },
    Entry { kind: "file.list", yaml: include_str!("../../../../node-catalog/file.list.yaml"), code: file_list::KIND },
    Entry { kind: "file.read", yaml: include_str!("../../../../node-catalog/file.read.yaml"), code: file_read::KIND },
    Entry { kind: "file.write", yaml: include_str!("../../../../node-catalog/file.write.yaml"), code: file_write::KIND },
    Entry { kind: "flow.break", yaml: include_str!("../../../../node-catalog/flow.break.yaml"), code: flow_break::KIND },
    Entry { kind: "flow.fail", yaml: include_str!("../../../../node-catalog/flow.fail.yaml"), code: flow_fail::KIND },
    Entry { kind: "flow.if", yaml: include_str!("../../../../node-catalog/flow.if.yaml"), code: flow_if::KIND },
    Entry { kind: "flow.loop", yaml: include_str!("../../../../node-catalog/flow.loop.yaml"), code: flow_loop::KIND },
    Entry { kind: "flow.noop", yaml: include_str!("../../../../node-catalog/flow.noop.yaml"), code: flow_noop::KIND },
    Entry { kind: "flow.parallel", yaml: include_str!("../../../../node-catalog/flow.parallel.yaml"), code: flow_parallel::KIND },
    Entry { kind: "flow.pause", yaml: include_str!("../../../../node-catalog/flow.pause.yaml"), code: flow_pause::KIND },
    Entry { kind: "flow.respond", yaml: include_str!("../../../../node-catalog/flow.respond.yaml"), code: flow_respond::KIND },
    Entry { kind: "flow.stop", yaml: include_str!("../../../../node-catalog/flow.stop.yaml"), code: flow_stop::KIND },
    Entry { kind: "flow.subworkflow", yaml: include_str!("../../../../node-catalog/flow.subworkflow.yaml"), code: flow_subworkflow::KIND },
    Entry { kind: "flow.switch", yaml: include_str!("../../../../node-catalog/flow.switch.yaml"), code: flow_switch::KIND },
    Entry { kind: "flow.wait", yaml: include_str!("../../../../node-catalog/flow.wait.yaml"), code: flow_wait::KIND },
    Entry { kind: "http.request", yaml: include_str!("../../../../node-catalog/http.request.yaml"), code: http_request::KIND },
    Entry { kind: "llm.chat", yaml: include_str!("../../../../node-catalog/llm.chat.yaml"), code: llm_chat::KIND },
    Entry { kind: "mcp.tool", yaml: include_str!("../../../../node-catalog/mcp.tool.yaml"), code: mcp_tool::KIND },
    Entry { kind: "rag.index", yaml: include_str!("../../../../node-catalog/rag.index.yaml"), code: rag_index::KIND },
    Entry { kind: "rag.retrieve", yaml: include_str!("../../../../node-catalog/rag.retrieve.yaml"), code: rag_retrieve::KIND },
    Entry { kind: "trigger.error", yaml: include_str!("../../../../node-catalog/trigger.error.yaml"), code: trigger_error::KIND },
    Entry { kind: "trigger.file_watch", yaml: include_str!("../../../../node-catalog/trigger.file_watch.yaml"), code: trigger_file_watch::KIND },
    Entry { kind: "trigger.form", yaml: include_str!("../../../../node-catalog/trigger.form.yaml"), code: trigger_form::KIND },
    Entry { kind: "trigger.manual", yaml: include_str!("../../../../node-catalog/trigger.manual.yaml"), code: trigger_manual::KIND },
    Entry { kind: "trigger.poll", yaml: include_str!("../../../../node-catalog/trigger.poll.yaml"), code: trigger_poll::KIND },
    Entry { kind: "trigger.schedule", yaml: include_str!("../../../../node-catalog/trigger.schedule.yaml"), code: trigger_schedule::KIND },
    Entry { kind: "trigger.webhook", yaml: include_str!("../../../../node-catalog/trigger.webhook.yaml"), code: trigger_webhook::KIND },
];
