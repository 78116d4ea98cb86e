/** Simplified Chinese of en.tables.ts. */
export const tables = {
  'tables.title': '数据库的表',
  'tables.hint': '用此连接读取表和列的名称。单击或拖动可将名称放入设置。',
  'tables.show': '显示表',
  'tables.asking': '正在读取',
  'tables.failed': '未能读取表',
  'tables.search': '搜索表和列',
  'tables.none': '数据库没有此用户可见的表。',
  'tables.count.other': '{n} 个表',
  'tables.first': '{n} 个表中的前 {shown} 个',
  'tables.insert': '插入 {name}',
  'tables.view': '视图',
  'tables.key': '主键',
  'sql.dragHere': '拖到此处的字段会成为参数',
};
