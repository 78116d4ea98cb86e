/** Simplified Chinese of en.poll.ts. */
export const poll = {
  'poll.title': '测试',
  'poll.hint': '查询一次地址并显示其中的项。不会启动运行。',
  'poll.hintRun': '运行一次工作流并显示其中的项。运行会列在“运行”中；不会记住任何内容。',
  'poll.openRun': '打开运行',
  'poll.test': '测试',
  'poll.testing': '正在查询',
  'poll.failed': '未能读取来源',
  'poll.none': '来源现在没有列出任何项。',
  'poll.items.other': '{n} 项',
  'poll.first': '{n} 项中的前 {shown} 项',
  'poll.seen': '已取走：{n}',
  'poll.cursor': '游标：{cursor}',
  'poll.run': '用这些项运行',
  'poll.list': '来源中的项',
};
