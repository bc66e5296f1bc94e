"""Built-in functions that need no import, by language, and members of built-in values.

A bare call of one of these names means the language's own unless a scope, a class or an import of
the file says otherwise: that some other file defines the only function of that name is no reason.
Sources are the languages' references: `Kernel` and its special forms of Elixir, `Kernel` and
`Module` of Ruby, the library of ISO C, Haskell's `Prelude`, Scala's `Predef`, and so on. Of PHP,
which has thousands, those of strings, arrays, numbers and files.

Not here: languages in which a bare name must be bound in its file anyway (`BareNames.IN_FILE`).
`assembler.lookup.builtins` names what those define themselves, types included, for readers of a
list of unresolved uses.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Builtins alone: programs such as `grep` are files, and a script may well have its own.
BASH = _words(
    "alias bg builtin caller cd command compgen complete declare dirs disown echo enable eval exec"
    " exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd"
    " printf pushd pwd read readarray readonly return set shift shopt source suspend test times"
    " trap true type typeset ulimit umask unalias unset wait"
)
# Of POSIX nothing: `read`, `error` and their like are often a program's own. The names of ISO C
# are reserved, so that no other file can be meant.
C = _words(
    "abort abs acos asin assert atan atan2 atexit atof atoi atol atoll bsearch calloc ceil clearerr"
    " clock cos cosh ctime difftime div exit exp fabs fclose feof ferror fflush fgetc fgetpos fgets"
    " floor fmod fopen fprintf fputc fputs fread free freopen frexp fscanf fseek fsetpos ftell"
    " fwrite getc getchar getenv gmtime isalnum isalpha iscntrl isdigit isgraph islower isprint"
    " ispunct isspace isupper isxdigit labs ldexp ldiv localtime log log10 longjmp malloc mblen"
    " mbstowcs mbtowc memchr memcmp memcpy memmove memset mktime modf offsetof perror pow printf"
    " putc putchar puts qsort raise rand realloc remove rename rewind round scanf setbuf setjmp"
    " setlocale setvbuf signal sin sinh snprintf sprintf sqrt srand sscanf strcat strchr strcmp"
    " strcoll strcpy strcspn strerror strftime strlen strncat strncmp strncpy strpbrk strrchr"
    " strspn strstr strtod strtok strtol strtoll strtoul strtoull system tan tanh time tmpfile"
    " tmpnam tolower toupper trunc ungetc va_arg va_copy va_end va_start vfprintf vprintf vsnprintf"
    " vsprintf"
)
# Special forms are there too, since they read like calls.
ELIXIR = _words(
    "abs alias alias! and apply binary_part binary_slice binding bit_size byte_size case ceil cond"
    " dbg def defdelegate defexception defguard defguardp defimpl defmacro defmacrop defmodule"
    " defoverridable defp defprotocol defstruct destructure div elem exit floor for"
    " function_exported? get_and_update_in get_in hd if import in inspect is_atom is_binary"
    " is_bitstring is_boolean is_exception is_float is_function is_integer is_list is_map"
    " is_map_key is_nil is_non_struct_map is_number is_pid is_port is_reference is_struct is_tuple"
    " length macro_exported? make_ref map_size match? max min node not or pop_in put_elem put_in"
    " quote raise receive rem require reraise round self send sigil_C sigil_D sigil_N sigil_R"
    " sigil_S sigil_T sigil_U sigil_W sigil_c sigil_r sigil_s sigil_w spawn spawn_link"
    " spawn_monitor struct struct! super tap then throw tl to_char_list to_charlist to_string"
    " to_timeout trunc try tuple_size unless unquote unquote_splicing update_in use var! with"
)
HASKELL = _words(
    "abs acos all and any appendFile asTypeOf asin atan atan2 break ceiling compare concat"
    " concatMap const cos curry cycle div divMod drop dropWhile either elem error even exp filter"
    " flip floor fmap foldMap foldl foldr fromEnum fromInteger fromIntegral fst gcd getChar"
    " getContents getLine head id init interact ioError iterate last lcm length lex lines log"
    " lookup map mapM mapM_ mappend max maxBound maximum maybe mconcat mempty min minBound minimum"
    " mod negate not notElem null odd or otherwise pi pred print product properFraction pure"
    " putChar putStr putStrLn quot quotRem read readFile readIO readLn readParen reads realToFrac"
    " recip rem repeat replicate return reverse round scanl scanl1 scanr scanr1 seq sequence"
    " sequence_ show showChar showParen showString shows signum sin snd span splitAt sqrt subtract"
    " succ sum tail take takeWhile tan toEnum toInteger toRational traverse truncate uncurry"
    " undefined unlines until unwords unzip userError words writeFile zip zip3 zipWith zipWith3"
)
KOTLIN = _words(
    "TODO also apply arrayListOf arrayOf arrayOfNulls assert buildList buildMap buildSet"
    " buildString byteArrayOf charArrayOf check checkNotNull compareBy compareByDescending"
    " emptyArray emptyList emptyMap emptySequence emptySet enumValueOf enumValues error"
    " generateSequence hashMapOf hashSetOf intArrayOf lazy let linkedMapOf linkedSetOf listOf"
    " listOfNotNull longArrayOf mapOf maxOf minOf mutableListOf mutableMapOf mutableSetOf print"
    " println readLine readln repeat require requireNotNull run runCatching sequence sequenceOf"
    " setOf sortedMapOf sortedSetOf synchronized takeIf takeUnless to with"
)
LUA = _words(
    "assert collectgarbage dofile error getfenv getmetatable ipairs load loadfile loadstring module"
    " next pairs pcall print rawequal rawget rawlen rawset require select setfenv setmetatable"
    " tonumber tostring type unpack warn xpcall"
)
LUA_OBJECTS = _words("bit bit32 coroutine debug io math os package string table utf8")
# A namespaced call falls back to these where its namespace has no such function.
PHP = _words(
    "abs addslashes array_chunk array_column array_combine array_diff array_diff_key array_fill"
    " array_filter array_flip array_intersect array_intersect_key array_key_exists array_key_first"
    " array_key_last array_keys array_map array_merge array_pad array_pop array_product array_push"
    " array_rand array_reduce array_replace array_reverse array_search array_shift array_slice"
    " array_splice array_sum array_unique array_unshift array_values array_walk arsort asort assert"
    " base64_decode base64_encode basename bin2hex call_user_func call_user_func_array ceil chdir"
    " chmod chr class_exists compact constant copy count crc32 ctype_alpha ctype_digit curl_init"
    " current date debug_backtrace define defined dirname end error_log error_reporting"
    " escapeshellarg exec explode extension_loaded extract fclose feof fgets file file_exists"
    " file_get_contents file_put_contents filemtime filesize filter_var flock floor flush fopen"
    " fread fscanf fseek fstat ftell func_get_args function_exists fwrite get_class"
    " get_object_vars get_parent_class getcwd getenv gettype glob hash header htmlspecialchars"
    " implode in_array ini_get ini_set intdiv interface_exists intval is_a is_array is_bool"
    " is_callable is_dir is_file is_float is_int is_iterable is_link is_null is_numeric is_object"
    " is_readable is_resource is_scalar is_string is_subclass_of is_writable iterator_to_array join"
    " json_decode json_encode key krsort ksort lcfirst ltrim mail max mb_strlen mb_substr md5"
    " method_exists microtime min mkdir mktime mt_rand natsort next number_format ob_get_clean"
    " ob_start ord pack parse_str parse_url pathinfo php_sapi_name php_uname phpversion preg_match"
    " preg_match_all preg_quote preg_replace preg_replace_callback preg_split prev print_r printf"
    " proc_open property_exists putenv rand random_bytes random_int range rawurlencode readfile"
    " realpath register_shutdown_function rename reset restore_error_handler rmdir round rsort"
    " rtrim scandir serialize set_error_handler set_exception_handler settype sha1 shuffle sleep"
    " sort spl_autoload_register spl_object_hash spl_object_id sprintf sscanf stat str_contains"
    " str_ends_with str_pad str_repeat str_replace str_split str_starts_with strcasecmp strchr"
    " strcmp stream_context_create stream_get_contents strftime strip_tags stripos stripslashes"
    " stristr strlen strncasecmp strncmp strpbrk strpos strrev strrpos strstr strtok strtolower"
    " strtotime strtoupper strtr strval substr substr_count symlink sys_get_temp_dir system tempnam"
    " time touch trigger_error trim uasort ucfirst ucwords uksort uniqid unlink unpack unserialize"
    " urldecode urlencode usleep usort var_dump var_export version_compare vsprintf"
)
# Those of `Module` as well: in the body of a class they are called without a receiver.
RUBY = _words(
    "Array Complex Float Hash Integer Rational String abort alias_method at_exit attr_accessor"
    " attr_reader attr_writer autoload binding block_given? caller caller_locations catch class"
    " class_eval class_exec clone const_get const_set define_method dup eval exec exit exit! extend"
    " fail fork format freeze frozen? gets global_variables include instance_eval instance_exec"
    " instance_variable_get instance_variable_set instance_variables is_a? itself kind_of? lambda"
    " load local_variables loop method methods module_function nil? object_id open p pp prepend"
    " print printf private private_class_method private_constant proc protected public"
    " public_constant public_send putc puts raise rand readline readlines refine require"
    " require_relative respond_to? select send set_trace_func singleton_class sleep spawn sprintf"
    " srand syscall system tap test then throw trace_var trap undef_method using warn"
)
# Macros as well: `write!(…)` is a use of `write`.
RUST = _words(
    "assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq"
    " debug_assert_ne drop env eprint eprintln file format format_args include include_bytes"
    " include_str line matches module_path option_env panic print println stringify thread_local"
    " todo unimplemented unreachable vec write writeln"
)
SCALA = _words(
    "ArrowAssoc assert assertResult assume classOf identity implicitly locally print printf println"
    " require summon valueOf"
)
# Of browsers and of Node; files that import anything must bind every other name themselves.
SCRIPT = _words(
    "Array BigInt Boolean Date Error Function Number Object Promise Proxy RegExp String Symbol"
    " TypeError addEventListener alert atob btoa cancelAnimationFrame clearImmediate clearInterval"
    " clearTimeout confirm decodeURI decodeURIComponent encodeURI encodeURIComponent escape eval"
    " fetch getComputedStyle isFinite isNaN parseFloat parseInt prompt queueMicrotask"
    " removeEventListener requestAnimationFrame require setImmediate setInterval setTimeout"
    " structuredClone unescape"
)
# Members of these were tied to any method of their name: `console.log` to a logger's `log`.
SCRIPT_OBJECTS = _words(
    "Array Atomics BigInt Buffer Bun Date Deno Float32Array Float64Array Int8Array Int16Array"
    " Int32Array Intl JSON Math Number Object Promise Proxy Reflect RegExp String Symbol URL"
    " Uint8Array Uint16Array Uint32Array WebAssembly console crypto document globalThis"
    " localStorage navigator performance process sessionStorage window"
)
SWIFT = _words(
    "abs assert assertionFailure debugPrint dump fatalError getVaList isKnownUniquelyReferenced max"
    " min numericCast precondition preconditionFailure print readLine repeatElement sequence stride"
    " swap transcode type unsafeBitCast unsafeDowncast withExtendedLifetime withUnsafeBytes"
    " withUnsafeMutablePointer withUnsafePointer withVaList zip"
)
# Of Python what `dir` gives in 3.11 for str, bytes, list, dict, set, int, float, re.Match,
# re.Pattern and BaseException: as a list, since edges must not depend on the Python that makes an
# index. Behind it frequent ones of other languages.
MEMBERS = _words(
    "__abs__ __add__ __and__ __bool__ __bytes__ __cause__ __ceil__ __class__"
    " __class_getitem__ __contains__ __context__ __copy__ __deepcopy__ __delattr__ __delitem__"
    " __dict__ __dir__ __divmod__ __doc__ __eq__ __float__ __floor__ __floordiv__ __format__"
    " __ge__ __getattribute__ __getformat__ __getitem__ __getnewargs__ __getstate__ __gt__"
    " __hash__ __iadd__ __iand__ __imul__ __index__ __init__ __init_subclass__ __int__"
    " __invert__ __ior__ __isub__ __iter__ __ixor__ __le__ __len__ __lshift__ __lt__ __mod__"
    " __module__ __mul__ __ne__ __neg__ __new__ __or__ __pos__ __pow__ __radd__ __rand__"
    " __rdivmod__ __reduce__ __reduce_ex__ __repr__ __reversed__ __rfloordiv__ __rlshift__"
    " __rmod__ __rmul__ __ror__ __round__ __rpow__ __rrshift__ __rshift__ __rsub__"
    " __rtruediv__ __rxor__ __setattr__ __setitem__ __setstate__ __sizeof__ __str__ __sub__"
    " __subclasshook__ __suppress_context__ __traceback__ __truediv__ __trunc__ __xor__ add"
    " add_note append args as_integer_ratio bit_count bit_length capitalize casefold center"
    " clear conjugate copy count decode denominator difference difference_update discard"
    " encode end endpos endswith expand expandtabs extend find findall finditer flags format"
    " format_map from_bytes fromhex fromkeys fullmatch get group groupdict groupindex groups"
    " hex imag index insert intersection intersection_update is_integer isalnum isalpha"
    " isascii isdecimal isdigit isdisjoint isidentifier islower isnumeric isprintable isspace"
    " issubset issuperset istitle isupper items join keys lastgroup lastindex ljust lower"
    " lstrip maketrans match numerator partition pattern pop popitem pos re real regs remove"
    " removeprefix removesuffix replace reverse rfind rindex rjust rpartition rsplit rstrip"
    " scanner search setdefault sort span split splitlines start startswith string strip sub"
    " subn swapcase symmetric_difference symmetric_difference_update title to_bytes translate"
    " union update upper values with_traceback zfill"
    " read write close flush open seek readline readlines writelines getvalue exists mkdir"
    " unlink start run cancel acquire release wait notify send recv connect commit execute"
    " cursor fetch push shift unshift map filter forEach reduce then catch finally toString"
    " test exec apply call bind has size length charAt slice splice concat includes indexOf"
    " assign freeze entries equals hashCode iter unwrap clone into expect ok err len cap each"
    " put contains"
    # Of databases and of pages.
    " fetchall fetchone fetchmany executemany rollback focus blur click addEventListener"
    " removeEventListener appendChild removeChild getAttribute setAttribute querySelector"
    " querySelectorAll closest preventDefault stopPropagation"
)
"""Members of built-in types: an unknown receiver is more likely of one of those."""
RUBY_MEMBERS = _words(
    "to_s to_i to_f to_a to_h to_sym to_str to_proc inspect first last empty? any? all? none?"
    " nil? include? each_with_index flatten compact sum min max merge key? dup freeze save save!"
    " update! destroy destroy! delete build create create! valid? errors reload present? blank?"
    " where order limit find_by"
    " name id value type"
    # Of texts, numbers, lists, hashes, ranges, patterns, times and files.
    " bytesize bytes byteslice chars each_char each_line each_byte encoding force_encoding encode"
    " valid_encoding? ascii_only? unpack unpack1 gsub gsub! sub! tr squeeze strip lstrip rstrip"
    " chomp chop chr ord upcase downcase capitalize swapcase start_with? end_with? match match?"
    " succ center ljust rjust hex oct crypt intern casecmp casecmp? slice slice!"
    " invert except transform_keys transform_values filter_map each_pair each_key each_value"
    " each_slice each_cons each_entry each_with_object delete_if keep_if reject! select!"
    " to_set has_key? value? has_value? dig default_proc compare_by_identity assoc rassoc"
    " group_by partition chunk_while zip combination permutation transpose shuffle"
    " bsearch flat_map inject minmax tally cycle divmod fdiv abs ceil floor round truncate zero?"
    " positive? negative? even? odd? times upto downto strftime utc localtime iso8601 to_time usec"
    " nsec readline readlines gets getc puts printf eof? fsync fileno tty? closed?"
    " binmode dirname extname realpath mtime instance_of? kind_of? is_a?"
    " respond_to? instance_variable_get instance_variable_set instance_variables define_method"
    " const_get const_set class_eval instance_eval instance_exec module_eval public_send"
    " singleton_class frozen? object_id backtrace full_message arity curry source_location"
)
"""Members of Ruby's values, and of records of Rails."""
CPP_MEMBERS = _words(
    "c_str data begin rbegin rend empty push_back pop_back emplace_back back front substr erase"
    " find_first_of find_last_of resize reserve str"
)
"""Members of C++'s containers and strings."""
RUST_MEMBERS = _words(
    "is_empty is_some is_none is_ok is_err is_file is_dir lock try_lock unwrap_or unwrap_or_else"
    " unwrap_or_default to_string to_owned as_str as_ref as_mut as_bytes next iter_mut into_iter"
    " collect push_str and_then map_err ok_or chars lines trim min_by max_by"
)
"""Members of Rust's values."""
JVM_MEMBERS = _words(
    "getClass getName getSimpleName getMessage getLocalizedMessage getCause getStackTrace"
    " printStackTrace addSuppressed isEmpty isBlank compareTo intValue longValue doubleValue"
    " booleanValue ordinal getBytes charAt startsWith endsWith substring getKey getValue entrySet"
    " keySet stream hasNext next iterator addAll removeAll retainAll putAll containsKey"
    " containsValue toArray getOrDefault putIfAbsent computeIfAbsent orElse orElseThrow isPresent"
    " isPrimitive isArray isInstance isAssignableFrom getSuperclass getDeclaringClass"
    # Of Kotlin.
    " toLong toInt toDouble toFloat toByte toShort toChar toUInt toULong let also isNullOrEmpty"
    " isNullOrBlank isNotEmpty isNotBlank first last single firstOrNull lastOrNull joinToString"
    " toList toSet toMap toMutableList toMutableMap associate associateBy groupBy any all none"
    " sumOf sortedBy orEmpty trimIndent trimMargin lowercase uppercase"
    # Of Scala.
    " mkString empty nonEmpty isDefined headOption lastOption head tail foreach flatMap collect"
    " fold foldLeft foldRight exists forall getOrElse toSeq toVector toOption withFilter zip"
    " zipWithIndex"
)
"""Members of Java's, Kotlin's and Scala's values and collections."""
CSHARP_MEMBERS = _words(
    "ToString Equals GetHashCode GetType CompareTo Add AddRange Remove RemoveAt Clear Contains"
    " ContainsKey TryGetValue Any All Select SelectMany Where First FirstOrDefault Last Single"
    " SingleOrDefault OrderBy GroupBy Aggregate Sum Min Max ToList ToArray ToDictionary Concat"
    " Distinct Skip Take Dispose AsSpan Substring Split Trim TrimEnd TrimStart StartsWith EndsWith"
    " Replace IndexOf Insert Append AppendLine Invoke Write WriteLine Read ReadLine Close Flush"
    " ConfigureAwait GetAwaiter GetResult"
)
"""Members of .NET's values and collections."""
PHP_MEMBERS = _words(
    "getMessage getCode getPrevious getTrace getTraceAsString getLine getFile modify getTimestamp"
    " setTimezone newInstance newInstanceArgs getShortName isSubclassOf getAttributes rewind valid"
)
"""Members of PHP's exceptions, dates and reflection."""
