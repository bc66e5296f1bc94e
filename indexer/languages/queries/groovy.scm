; The grammar knows commands and blocks: a word that declares, then the name, which stands in the
; block where nothing lies between them

(command (unit (identifier) @_word) . (unit . (identifier) @name .) (block) @body
  (#any-of? @_word "class" "record")) @definition.class
(command (unit (identifier) @_word) . (block . (unit . (identifier) @name .))
  (#any-of? @_word "class" "record")) @definition.class
(command (unit (identifier) @_word) . (unit . (identifier) @name .) (block) @body
  (#eq? @_word "interface")) @definition.interface
(command (unit (identifier) @_word) . (block . (unit . (identifier) @name .))
  (#any-of? @_word "interface")) @definition.interface
(command (unit (identifier) @_word) . (unit . (identifier) @name .) (block) @body
  (#eq? @_word "trait")) @definition.trait
(command (unit (identifier) @_word) . (block . (unit . (identifier) @name .))
  (#eq? @_word "trait")) @definition.trait
(command (unit (identifier) @_word) . (block . (unit . (identifier) @name .))
  (#eq? @_word "enum")) @definition.enum

; Methods and functions: a type or a word, then the name with its parameters before a block

(command (unit (identifier)) . (block . (unit (func . (identifier) @name (arg_block)))))
  @definition.function
(command . (block . (unit . (func . (identifier) @name (arg_block)) .))
  (#match? @name "^[A-Z]")) @definition.function
(command (unit (identifier) @_def) . (block . (string) @name)
  (#any-of? @_def "def" "void")) @definition.function
(command (unit (identifier) @_word) . (unit (identifier) @name) . (operators)
  (#not-match? @_word "^(?:return|in|assert)$")) @definition.variable @global
(command . (unit . (identifier) @_type .) . (unit . (identifier) @name .) .
  (#match? @_type "^(?:[A-Z]\\w*|def|int|long|boolean|double|float|byte|char)$")) @definition.variable @global

(command (unit (identifier) @_stage) (unit) @name (block) @body
  (#eq? @_stage "task")) @definition.section
(command . (block . (unit . (func . (identifier) @_stage (arg_block . (string) @name))))
  (#any-of? @_stage "stage" "task" "register")) @definition.section
(command . (block . (unit (func . (identifier) @_stage (arg_block . (string) @name)) .))
  (#any-of? @_stage "register" "create")) @definition.section

; Processes and workflows of Nextflow, and what its scripts include under another name

(command . (unit (identifier) @_word) . (block . (unit . (identifier) @name .))
  (#any-of? @_word "process" "workflow")) @definition.function
(command . (unit (identifier) @_word) . (unit . (identifier) @name .) . (block) @body
  (#any-of? @_word "process" "workflow")) @definition.function
(command . (block . (unit . (identifier) @_include) (_
    . (unit (identifier) @name) . (unit (identifier) @_as) . (unit (identifier) @alias) .))
  . (unit (identifier)) . (string) @module
  (#eq? @_include "include") (#eq? @_as "as")) @import
(command . (block . (unit . (identifier) @_include) (_ . (unit (identifier) @name) .))
  . (unit (identifier)) . (string) @module
  (#eq? @_include "include")) @import

; Inheritance

(command (unit (identifier) @_extends) . [
    (unit (identifier) @name .)
    (block . (unit (identifier) @name .))]
  (#eq? @_extends "extends")) @inherit
(command (unit (identifier) @_implements) . [
    (unit (identifier) @name .)
    (block . (unit (identifier) @name .))]
  (#eq? @_implements "implements")) @implement

; Calls

(func . (identifier) @name (arg_block)) @call
(unit (identifier) @receiver . (func . (identifier) @name (arg_block))) @call

; What a name may hold

(command (unit (identifier)) . (unit . (identifier) @to .) . (operators)
  . (unit (identifier) @_new) . (unit (func . (identifier) @made))
  (#eq? @_new "new"))

(_ (unit . (identifier) @is .) . (unit . (identifier) @to .) (#match? @is "^[A-Z]"))

; Functions that are handed on, and operators

(_ (ERROR) . (operators) @_and . (unit . (identifier) @handed .) (#eq? @_and "&"))
(_ (unit . (identifier) @operated .) . (operators) @operator)
(_ (unit . (identifier) @operated .) . (list . "[" @operator))
(_ (unit . (identifier) @operated .) . (list . "[" @operator) . (operators) @stored
  (#eq? @stored "="))

; Imports

(command . (unit (identifier) @_import) (unit _+ @module . "." . (identifier) @name .)
  (#eq? @_import "import")) @import

(line_comment) @comment
(block_comment) @comment
(command (decorate)) @decoration
