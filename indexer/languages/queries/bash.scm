; Functions in both styles

(function_definition name: (word) @name body: (_) @body) @definition.function

; Variables of the script that are declared, or spelled as constants

(program (declaration_command
  (variable_assignment name: (variable_name) @name)) @definition.variable)
(program (variable_assignment name: (variable_name) @name
  (#match? @name "^[A-Z_][A-Z0-9_]*$")) @definition.variable)
(program (list (declaration_command
  (variable_assignment name: (variable_name) @name)) @definition.variable))

; Calls: every command, and the one that another runs

(command name: (command_name (word) @name)
  (#not-match? @name "^(?:source|\\.|\\[|\\{|\\}|:|true|false|exit|return|set|shift|local|load|bats_load_library)$")) @call
(command
  name: (command_name (word) @_runner)
  . argument: (word) @name
  (#any-of? @_runner "run" "command" "exec" "sudo" "builtin" "trap" "time" "nohup" "assert")
  (#match? @name "^[A-Za-z_]")) @call

; Functions that a trap or a completion runs
(command name: (command_name) @_by argument: (word) @handed
  (#any-of? @_by "trap" "complete" "time" "xargs" "run" "add-zsh-hook" "precmd_functions"))

; Imports

(command name: (command_name (word) @_source) . argument: (_) @module
  (#any-of? @_source "source" "." "load" "bats_load_library")) @import

(comment) @comment
