// Zig, which highlight.js does not know.

export default (hljs) => ({
  name: "Zig",
  keywords: {
    keyword:
      "addrspace align allowzero and anyframe anytype asm async await break callconv catch" +
      " comptime const continue defer else enum errdefer error export extern fn for if inline" +
      " linksection noalias noinline nosuspend opaque or orelse packed pub resume return struct" +
      " suspend switch test threadlocal try union unreachable usingnamespace var volatile while",
    literal: "true false null undefined",
    type:
      "bool f16 f32 f64 f128 i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 isize usize void" +
      " anyerror noreturn type comptime_int",
  },
  contains: [
    hljs.C_LINE_COMMENT_MODE,
    hljs.QUOTE_STRING_MODE,
    hljs.APOS_STRING_MODE,
    { scope: "string", begin: /\\\\/, end: /$/ },
    { scope: "built_in", begin: /@[A-Za-z_]\w*/ },
    { begin: [/fn/, /\s+/, /[A-Za-z_]\w*/], beginScope: { 1: "keyword", 3: "title" } },
    { scope: "number", begin: /\b\d[\w.]*/ },
  ],
});
