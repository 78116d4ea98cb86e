//! Written by tests/table.rs from the files of node-catalog/. Do not edit.

use crate::Entry;

#[path = "kinds/a2a_agent.rs"]
mod a2a_agent;
#[path = "kinds/agent_task.rs"]
mod agent_task;
#[path = "kinds/archive_pack.rs"]
mod archive_pack;
#[path = "kinds/archive_unpack.rs"]
mod archive_unpack;
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
#[path = "kinds/connector_call.rs"]
mod connector_call;
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
#[path = "kinds/db_query.rs"]
mod db_query;
#[path = "kinds/db_tables.rs"]
mod db_tables;
#[path = "kinds/db_write.rs"]
mod db_write;
#[path = "kinds/feed_read.rs"]
mod feed_read;
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
#[path = "kinds/html_select.rs"]
mod html_select;
#[path = "kinds/http_request.rs"]
mod http_request;
#[path = "kinds/llm_chat.rs"]
mod llm_chat;
#[path = "kinds/mail_read.rs"]
mod mail_read;
#[path = "kinds/mail_send.rs"]
mod mail_send;
#[path = "kinds/mcp_tool.rs"]
mod mcp_tool;
#[path = "kinds/message_publish.rs"]
mod message_publish;
#[path = "kinds/object_delete.rs"]
mod object_delete;
#[path = "kinds/object_list.rs"]
mod object_list;
#[path = "kinds/object_move.rs"]
mod object_move;
#[path = "kinds/object_read.rs"]
mod object_read;
#[path = "kinds/object_write.rs"]
mod object_write;
#[path = "kinds/pdf_read.rs"]
mod pdf_read;
#[path = "kinds/pdf_write.rs"]
mod pdf_write;
#[path = "kinds/rag_index.rs"]
mod rag_index;
#[path = "kinds/rag_retrieve.rs"]
mod rag_retrieve;
#[path = "kinds/sheet_fill.rs"]
mod sheet_fill;
#[path = "kinds/sheet_read.rs"]
mod sheet_read;
#[path = "kinds/sheet_write.rs"]
mod sheet_write;
#[path = "kinds/table_read.rs"]
mod table_read;
#[path = "kinds/trigger_error.rs"]
mod trigger_error;
#[path = "kinds/trigger_file_watch.rs"]
mod trigger_file_watch;
#[path = "kinds/trigger_form.rs"]
mod trigger_form;
#[path = "kinds/trigger_mail.rs"]
mod trigger_mail;
#[path = "kinds/trigger_manual.rs"]
mod trigger_manual;
#[path = "kinds/trigger_message.rs"]
mod trigger_message;
#[path = "kinds/trigger_poll.rs"]
mod trigger_poll;
#[path = "kinds/trigger_schedule.rs"]
mod trigger_schedule;
#[path = "kinds/trigger_webhook.rs"]
mod trigger_webhook;

/// In every program.
#[rustfmt::skip]
pub(crate) const SMALL: &[Entry] = &[
    Entry { kind: "a2a.agent", code: a2a_agent::KIND },
    Entry { kind: "builtin.audit", code: builtin_audit::KIND },
    Entry { kind: "builtin.error_as_context", code: builtin_error_as_context::KIND },
    Entry { kind: "builtin.error_handler", code: builtin_error_handler::KIND },
    Entry { kind: "builtin.human_approval", code: builtin_human_approval::KIND },
    Entry { kind: "builtin.human_decision", code: builtin_human_decision::KIND },
    Entry { kind: "builtin.human_form", code: builtin_human_form::KIND },
    Entry { kind: "builtin.self_healing", code: builtin_self_healing::KIND },
    Entry { kind: "connector.call", code: connector_call::KIND },
    Entry { kind: "data.aggregate", code: data_aggregate::KIND },
    Entry { kind: "data.compare", code: data_compare::KIND },
    Entry { kind: "data.date", code: data_date::KIND },
    Entry { kind: "data.dedupe", code: data_dedupe::KIND },
    Entry { kind: "data.filter", code: data_filter::KIND },
    Entry { kind: "data.format", code: data_format::KIND },
    Entry { kind: "data.group", code: data_group::KIND },
    Entry { kind: "data.limit", code: data_limit::KIND },
    Entry { kind: "data.merge", code: data_merge::KIND },
    Entry { kind: "data.number", code: data_number::KIND },
    Entry { kind: "data.parse", code: data_parse::KIND },
    Entry { kind: "data.pick", code: data_pick::KIND },
    Entry { kind: "data.remember", code: data_remember::KIND },
    Entry { kind: "data.rename", code: data_rename::KIND },
    Entry { kind: "data.set", code: data_set::KIND },
    Entry { kind: "data.sort", code: data_sort::KIND },
    Entry { kind: "data.split", code: data_split::KIND },
    Entry { kind: "data.summarise", code: data_summarise::KIND },
    Entry { kind: "data.text", code: data_text::KIND },
    Entry { kind: "data.transform", code: data_transform::KIND },
    Entry { kind: "feed.read", code: feed_read::KIND },
    Entry { kind: "file.list", code: file_list::KIND },
    Entry { kind: "file.read", code: file_read::KIND },
    Entry { kind: "file.write", code: file_write::KIND },
    Entry { kind: "flow.break", code: flow_break::KIND },
    Entry { kind: "flow.fail", code: flow_fail::KIND },
    Entry { kind: "flow.if", code: flow_if::KIND },
    Entry { kind: "flow.loop", code: flow_loop::KIND },
    Entry { kind: "flow.noop", code: flow_noop::KIND },
    Entry { kind: "flow.parallel", code: flow_parallel::KIND },
    Entry { kind: "flow.pause", code: flow_pause::KIND },
    Entry { kind: "flow.respond", code: flow_respond::KIND },
    Entry { kind: "flow.stop", code: flow_stop::KIND },
    Entry { kind: "flow.subworkflow", code: flow_subworkflow::KIND },
    Entry { kind: "flow.switch", code: flow_switch::KIND },
    Entry { kind: "flow.wait", code: flow_wait::KIND },
    Entry { kind: "http.request", code: http_request::KIND },
    Entry { kind: "object.delete", code: object_delete::KIND },
    Entry { kind: "object.list", code: object_list::KIND },
    Entry { kind: "object.move", code: object_move::KIND },
    Entry { kind: "object.read", code: object_read::KIND },
    Entry { kind: "object.write", code: object_write::KIND },
    Entry { kind: "trigger.error", code: trigger_error::KIND },
    Entry { kind: "trigger.file_watch", code: trigger_file_watch::KIND },
    Entry { kind: "trigger.form", code: trigger_form::KIND },
    Entry { kind: "trigger.mail", code: trigger_mail::KIND },
    Entry { kind: "trigger.manual", code: trigger_manual::KIND },
    Entry { kind: "trigger.message", code: trigger_message::KIND },
    Entry { kind: "trigger.poll", code: trigger_poll::KIND },
    Entry { kind: "trigger.schedule", code: trigger_schedule::KIND },
    Entry { kind: "trigger.webhook", code: trigger_webhook::KIND },
];

/// Kinds whose libraries are large: documents and scripts.
#[rustfmt::skip]
pub(crate) const LARGE: &[Entry] = &[
    Entry { kind: "archive.pack", code: archive_pack::KIND },
    Entry { kind: "archive.unpack", code: archive_unpack::KIND },
    Entry { kind: "code.javascript", code: code_javascript::KIND },
    Entry { kind: "html.select", code: html_select::KIND },
    Entry { kind: "pdf.read", code: pdf_read::KIND },
    Entry { kind: "pdf.write", code: pdf_write::KIND },
    Entry { kind: "sheet.fill", code: sheet_fill::KIND },
    Entry { kind: "sheet.read", code: sheet_read::KIND },
    Entry { kind: "sheet.write", code: sheet_write::KIND },
];

/// Kinds that reach models, tools, indexes, databases, mail and brokers, or read files of tables.
#[rustfmt::skip]
pub(crate) const CONNECTED: &[Entry] = &[
    Entry { kind: "agent.task", code: agent_task::KIND },
    Entry { kind: "db.query", code: db_query::KIND },
    Entry { kind: "db.tables", code: db_tables::KIND },
    Entry { kind: "db.write", code: db_write::KIND },
    Entry { kind: "llm.chat", code: llm_chat::KIND },
    Entry { kind: "mail.read", code: mail_read::KIND },
    Entry { kind: "mail.send", code: mail_send::KIND },
    Entry { kind: "mcp.tool", code: mcp_tool::KIND },
    Entry { kind: "message.publish", code: message_publish::KIND },
    Entry { kind: "rag.index", code: rag_index::KIND },
    Entry { kind: "rag.retrieve", code: rag_retrieve::KIND },
    Entry { kind: "table.read", code: table_read::KIND },
];
