//! The same sorts of edit in languages whose builds nub knows less of: one program each, and what is found in it.

use crate::languages::{Edits, check};
use expect_test::expect;

#[test]
fn csharp() {
    let text = r#"using System;
using System.Linq;

namespace N {
    public class Shape : Base {
        private int size;

        public int Area(int scale) {
            Log(scale);
            return size * scale;
        }

        public void Reset() {
            size = 0;
        }
    }
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("size", "length")]),
        (
            "reordered",
            &[
                ("\n        public void Reset() {\n            size = 0;\n        }\n", ""),
                (
                    "        public int Area(",
                    "        public void Reset() {\n            size = 0;\n        }\n\n        public int Area(",
                ),
            ],
        ),
        (
            "wrapped",
            &[(
                "            Log(scale);\n",
                "            if (scale > 1) {\n                Log(scale);\n            }\n",
            )],
        ),
        (
            "extracted",
            &[
                (
                    "            Log(scale);\n            return size * scale;\n",
                    "            return Times(scale);\n",
                ),
                (
                    "        public void Reset",
                    "        private int Times(int scale) {\n            Log(scale);\n            return size * scale;\n        }\n\n        public void Reset",
                ),
            ],
        ),
        ("signature", &[("public int Area(int scale)", "protected long Area(int scale, bool up = true)")]),
        ("imports", &[("using System.Linq;\n", "using System.Text;\n")]),
        ("supertypes", &[(": Base", ": Base, IShape")]),
        ("only a comment", &[("Log(scale);", "Log(scale); // says")]),
        ("only white space", &[("size * scale", "size\n                * scale")]),
        ("an error", &[("return size * scale;", "return size * ;")]),
    ];
    check(
        "a.cs",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces variable_declarator in N.Shape: [-size-] [+length+]
            1 replaces identifier in N.Shape.Area: [-size-] [+length+]
            2 deletes expression_statement in N.Shape.Reset: [-size = 0;-]
            3 inserts expression_statement in N.Shape.Reset: [+length = 0;+]
        reordered
            0 moves away method_declaration in N.Shape.Area: [-public int Area(int scale) {-] [-Log(scale);-] [-return size * scale;-] [-}-]
            1 moves here method_declaration in N.Shape.Area: [+public int Area(int scale) {+] [+Log(scale);+] [+return size * scale;+] [+}+]
        wrapped
            0 inserts if_statement in N.Shape.Area: [+if (scale > 1) {+] [+}+]
        extracted
            0 moves away expression_statement in N.Shape.Area: [-Log(scale);-]
            1 replaces return_statement in N.Shape.Area: [-return size * scale;-] [+return Times(scale);+]
            2 inserts method_declaration in N.Shape.Times: [+private int Times(int scale) {+] [+}+]
              3 moves here expression_statement in N.Shape.Times: [+Log(scale);+]
              4 inserts return_statement in N.Shape.Times: [+return size * scale;+]
        signature
            0 replaces modifier in N.Shape.Area: [-public-] [+protected+]
            1 replaces predefined_type in N.Shape.Area: [-int-] [+long+]
            2 inserts parameter in N.Shape.Area: [+, bool up = true+]
        imports
            0 deletes using_directive: [-using System.Linq;-]
            1 inserts using_directive: [+using System.Text;+]
        supertypes
            0 inserts identifier in N.Shape: [+, IShape+]
        only a comment
            0 changes only the layout of text: [+// says+]
        only white space
            0 changes only the layout of text: 
        an error
            0 deletes identifier in N.Shape.Area: [-scale-]
    "#]],
    );
}

#[test]
fn kotlin() {
    let text = r#"package n

import kotlin.math.abs

class Shape(private val size: Int) : Base() {
    fun area(scale: Int): Int {
        log(scale)
        return size * scale
    }

    fun reset() {
        total = 0
    }
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("size", "length")]),
        (
            "reordered",
            &[
                ("\n    fun reset() {\n        total = 0\n    }\n", ""),
                ("    fun area(", "    fun reset() {\n        total = 0\n    }\n\n    fun area("),
            ],
        ),
        (
            "wrapped",
            &[("        log(scale)\n", "        if (scale > 1) {\n            log(scale)\n        }\n")],
        ),
        (
            "extracted",
            &[
                ("        log(scale)\n        return size * scale\n", "        return times(scale)\n"),
                (
                    "    fun reset",
                    "    fun times(scale: Int): Int {\n        log(scale)\n        return size * scale\n    }\n\n    fun reset",
                ),
            ],
        ),
        ("signature", &[("fun area(scale: Int): Int", "fun area(scale: Int, up: Boolean = true): Long")]),
        ("imports", &[("kotlin.math.abs", "kotlin.math.max")]),
        ("only a comment", &[("log(scale)", "log(scale) // says")]),
        ("only white space", &[("        total = 0\n", "        total   =   0\n")]),
        ("an error", &[("return size * scale", "return size * )")]),
    ];
    check(
        "a.kt",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces identifier in Shape: [-size-] [+length+]
            1 replaces identifier in Shape.area: [-size-] [+length+]
        reordered
            0 moves away function_declaration in Shape.area: [-fun area(scale: Int): Int {-] [-log(scale)-] [-return size * scale-] [-}-]
            1 moves here function_declaration in Shape.area: [+fun area(scale: Int): Int {+] [+log(scale)+] [+return size * scale+] [+}+]
        wrapped
            0 inserts if_expression in Shape.area: [+if (scale > 1) {+] [+}+]
        extracted
            0 inserts return_expression in Shape.area: [+return+]
            1 replaces identifier in Shape.area: [-log-] [+times+]
            2 deletes return_expression in Shape.area: [-return size * scale-]
            3 inserts function_declaration in Shape.times: [+fun times(scale: Int): Int {
                    log(scale)
                    return size * scale
                }+]
            0 needs 2
        signature
            0 inserts parameter in Shape.area: [+, up: Boolean = true+]
            1 replaces user_type in Shape.area: [-Int-] [+Long+]
        imports
            0 deletes import: [-import kotlin.math.abs-]
            1 inserts import: [+import kotlin.math.max+]
        only a comment
            0 changes only the layout of text: [+// says+]
        only white space
            0 changes only the layout of text: 
        an error
            0 deletes identifier in Shape.area: [-* scale-]
            1 inserts line in Shape.area: [+* )+]
    "#]],
    );
}

#[test]
fn php() {
    let text = r#"<?php

namespace N;

use N\Tools\Log;

class Shape extends Base
{
    private $size = 0;

    public function area(int $scale): int
    {
        $this->log($scale);
        return $this->size * $scale;
    }

    public function reset(): void
    {
        $this->size = 0;
    }
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("$scale", "$factor")]),
        (
            "reordered",
            &[
                ("\n    public function reset(): void\n    {\n        $this->size = 0;\n    }\n", ""),
                (
                    "    public function area(",
                    "    public function reset(): void\n    {\n        $this->size = 0;\n    }\n\n    public function area(",
                ),
            ],
        ),
        (
            "wrapped",
            &[(
                "        $this->log($scale);\n",
                "        if ($scale > 1) {\n            $this->log($scale);\n        }\n",
            )],
        ),
        (
            "extracted",
            &[
                (
                    "        $this->log($scale);\n        return $this->size * $scale;\n",
                    "        return $this->times($scale);\n",
                ),
                (
                    "    public function reset",
                    "    private function times(int $scale): int\n    {\n        $this->log($scale);\n        return $this->size * $scale;\n    }\n\n    public function reset",
                ),
            ],
        ),
        ("signature", &[("area(int $scale): int", "area(int $scale, bool $up = true): float")]),
        ("imports", &[("use N\\Tools\\Log;", "use N\\Tools\\Out;")]),
        ("only a comment", &[("$this->log($scale);", "$this->log($scale); // says")]),
        ("only white space", &[("$this->size * $scale", "$this->size\n            * $scale")]),
        ("an error", &[("return $this->size * $scale;", "return $this->size * ;")]),
    ];
    check(
        "a.php",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces variable_name in Shape.area: [-$scale-] [+$factor+]
            1 replaces argument in Shape.area: [-$scale-] [+$factor+]
            2 replaces variable_name in Shape.area: [-$scale-] [+$factor+]
        reordered
            0 moves away method_declaration in Shape.area: [-public function area(int $scale): int-] [-{-] [-$this->log($scale);-] [-return $this->size * $scale;-] [-}-]
            1 moves here method_declaration in Shape.area: [+public function area(int $scale): int+] [+{+] [+$this->log($scale);+] [+return $this->size * $scale;+] [+}+]
        wrapped
            0 inserts if_statement in Shape.area: [+if ($scale > 1) {+] [+}+]
        extracted
            0 moves away expression_statement in Shape.area: [-$this->log($scale);-]
            1 replaces return_statement in Shape.area: [-return $this->size * $scale;-] [+return $this->times($scale);+]
            2 inserts method_declaration in Shape.times: [+private function times(int $scale): int
                {+] [+}+]
              3 moves here expression_statement in Shape.times: [+$this->log($scale);+]
              4 inserts return_statement in Shape.times: [+return $this->size * $scale;+]
        signature
            0 inserts simple_parameter in Shape.area: [+, bool $up = true+]
            1 replaces primitive_type in Shape.area: [-int-] [+float+]
        imports
            0 deletes namespace_use_declaration: [-use N\Tools\Log;-]
            1 inserts namespace_use_declaration: [+use N\Tools\Out;+]
        only a comment
            0 changes only the layout of text: [+// says+]
        only white space
            0 changes only the layout of text: 
        an error
            0 deletes variable_name in Shape.area: [-$scale-]
    "#]],
    );
}

#[test]
fn ruby() {
    let text = r#"require 'set'
require 'json'

class Shape < Base
  def area(scale)
    log(scale)
    @size * scale
  end

  def reset
    @size = 0
  end
end
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("scale", "factor")]),
        (
            "reordered",
            &[
                ("\n  def reset\n    @size = 0\n  end\n", ""),
                ("  def area(", "  def reset\n    @size = 0\n  end\n\n  def area("),
            ],
        ),
        ("wrapped", &[("    log(scale)\n", "    if scale > 1\n      log(scale)\n    end\n")]),
        (
            "extracted",
            &[
                ("    log(scale)\n    @size * scale\n", "    times(scale)\n"),
                (
                    "  def reset",
                    "  def times(scale)\n    log(scale)\n    @size * scale\n  end\n\n  def reset",
                ),
            ],
        ),
        ("signature", &[("def area(scale)", "def area(scale, up: true)")]),
        ("imports", &[("require 'json'\n", "require 'yaml'\n")]),
        ("only a comment", &[("    log(scale)", "    log(scale) # says")]),
        ("only white space", &[("    @size = 0\n", "    @size   =   0\n")]),
        ("an error", &[("@size * scale", "@size * )")]),
    ];
    check(
        "a.rb",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces identifier in Shape.area: [-scale-] [+factor+]
                1 deletes call in Shape.area: [-log(scale)-]
                2 inserts call in Shape.area: [+log(factor)+]
                3 replaces identifier in Shape.area: [-scale-] [+factor+]
            reordered
                0 moves away method in Shape.area: [-def area(scale)-] [-log(scale)-] [-@size * scale-] [-end-]
                1 moves here method in Shape.area: [+def area(scale)+] [+log(scale)+] [+@size * scale+] [+end+]
            wrapped
                0 inserts if in Shape.area: [+if scale > 1+] [+end+]
            extracted
                0 replaces identifier in Shape.area: [-log-] [+times+]
                1 deletes binary in Shape.area: [-@size * scale-]
                2 inserts method in Shape.times: [+def times(scale)
                    log(scale)
                    @size * scale
                  end+]
            signature
                0 inserts keyword_parameter in Shape.area: [+, up: true+]
            imports
                0 replaces string: [-'json'-] [+'yaml'+]
            only a comment
                0 changes only the layout of text: [+# says+]
            only white space
                0 changes only the layout of text: 
            an error
                0 deletes instance_variable in Shape.area: [-* scale-]
                1 inserts line in Shape.area: [+* )+]
                1 needs 0
        "#]],
    );
}

#[test]
fn scala() {
    let text = r#"package n

import scala.math.abs

class Shape(size: Int) extends Base {
  def area(scale: Int): Int = {
    log(scale)
    size * scale
  }

  def reset(): Unit = {
    total = 0
  }
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("scale:", "factor:"), ("log(scale)", "log(factor)"), ("* scale", "* factor")]),
        (
            "reordered",
            &[
                ("\n  def reset(): Unit = {\n    total = 0\n  }\n", ""),
                ("  def area(", "  def reset(): Unit = {\n    total = 0\n  }\n\n  def area("),
            ],
        ),
        ("wrapped", &[("    log(scale)\n", "    if (scale > 1) {\n      log(scale)\n    }\n")]),
        ("signature", &[("def area(scale: Int): Int", "def area(scale: Int, up: Boolean = true): Long")]),
        ("imports", &[("scala.math.abs", "scala.math.max")]),
        ("only a comment", &[("    log(scale)", "    log(scale) // says")]),
        ("only white space", &[("    total = 0\n", "    total   =   0\n")]),
        ("an error", &[("size * scale\n", "size * )\n")]),
    ];
    check(
        "a.scala",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces identifier in Shape.area: [-scale-] [+factor+]
            1 replaces call_expression in Shape.area: [-log(scale)-] [+log(factor)+]
            2 replaces identifier in Shape.area: [-scale-] [+factor+]
        reordered
            0 moves away function_definition in Shape.area: [-def area(scale: Int): Int = {-] [-log(scale)-] [-size * scale-] [-}-]
            1 moves here function_definition in Shape.area: [+def area(scale: Int): Int = {+] [+log(scale)+] [+size * scale+] [+}+]
        wrapped
            0 inserts if_expression in Shape.area: [+if (scale > 1) {+] [+}+]
        signature
            0 inserts parameter in Shape.area: [+, up: Boolean = true+]
            1 replaces type_identifier in Shape.area: [-Int-] [+Long+]
        imports
            0 deletes import_declaration: [-import scala.math.abs-]
            1 inserts import_declaration: [+import scala.math.max+]
        only a comment
            0 changes only the layout of text: [+// says+]
        only white space
            0 changes only the layout of text: 
        an error
            0 replaces function_declaration in Shape.area: [-def-] [+def+] [-: Int = {
                log(scale)
                size * scale
              }-] [+: Int+]
            1 moves away function_definition in Shape.reset: [-def reset(): Unit = {-] [-total = 0-] [-}-]
            2 inserts line in reset: [+}+]
            3 inserts line in Shape: [+= {
                log(scale)
                size * )+]
            4 moves here function_definition in reset: [+def reset(): Unit = {+] [+total = 0+] [+}+] [+}+]
    "#]],
    );
}

#[test]
fn lua() {
    let text = r#"local log = require("log")

local total = 0

local function area(scale)
  log(scale)
  total = total + scale
  return total * scale
end

local function reset()
  total = 0
end

return { area = area, reset = reset }
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("scale", "factor")]),
        (
            "reordered",
            &[
                ("local function reset()\n  total = 0\nend\n\n", ""),
                ("local function area(", "local function reset()\n  total = 0\nend\n\nlocal function area("),
            ],
        ),
        ("wrapped", &[("  log(scale)\n", "  if scale > 1 then\n    log(scale)\n  end\n")]),
        (
            "extracted",
            &[
                ("  log(scale)\n  total = total + scale\n", "  add(scale)\n"),
                (
                    "local function area(",
                    "local function add(scale)\n  log(scale)\n  total = total + scale\nend\n\nlocal function area(",
                ),
            ],
        ),
        ("signature", &[("area(scale)\n", "area(scale, up)\n")]),
        ("imports", &[("require(\"log\")", "require(\"out\")")]),
        ("an entry", &[("area = area, ", "area = area, add = add, ")]),
        ("only a comment", &[("  log(scale)", "  log(scale) -- says")]),
        ("only white space", &[("total + scale", "total\n    + scale")]),
        ("an error", &[("return total * scale", "return total *")]),
    ];
    check(
        "a.lua",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces identifier in area: [-scale-] [+factor+]
            1 deletes function_call in area: [-log(scale)-]
            2 inserts function_call in area: [+log(factor)+]
            3 replaces identifier in area: [-scale-] [+factor+]
            4 replaces identifier in area: [-scale-] [+factor+]
        reordered
            0 moves away function_declaration in area: [-local function area(scale)
              log(scale)
              total = total + scale
              return total * scale
            end-]
            1 moves here function_declaration in area: [+local function area(scale)
              log(scale)
              total = total + scale
              return total * scale
            end+]
        wrapped
            0 inserts if_statement in area: [+if scale > 1 then+] [+end+]
        extracted
            0 inserts function_declaration in add: [+local function add(scale)
              log(scale)+] [+end+]
              1 moves here assignment_statement in add: [+total = total + scale+]
            2 replaces function_call in area: [-log(scale)-] [+add(scale)+]
            3 moves away assignment_statement in area: [-total = total + scale-]
        signature
            0 inserts identifier in area: [+, up+]
        imports
            0 replaces string: [-"log"-] [+"out"+]
        an entry
            0 inserts field in add: [+, add = add+]
        only a comment
            0 changes only the layout of text: [+-- says+]
        only white space
            0 changes only the layout of text: 
        an error
            0 replaces identifier in area: [-scale-] [+end+]
            1 deletes end in area: [-end-]
    "#]],
    );
}

#[test]
fn bash() {
    let text = r#"#!/bin/bash
set -e
. ./lib.sh

area() {
    local scale=$1
    log "$scale"
    echo $((size * scale))
}

reset() {
    size=0
}

area 2 | sort
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("scale", "factor")]),
        (
            "reordered",
            &[("reset() {\n    size=0\n}\n\n", ""), ("area() {", "reset() {\n    size=0\n}\n\narea() {")],
        ),
        (
            "wrapped",
            &[("    log \"$scale\"\n", "    if [ -n \"$scale\" ]; then\n        log \"$scale\"\n    fi\n")],
        ),
        (
            "extracted",
            &[
                ("    log \"$scale\"\n    echo $((size * scale))\n", "    times \"$scale\"\n"),
                ("reset() {", "times() {\n    log \"$scale\"\n    echo $((size * scale))\n}\n\nreset() {"),
            ],
        ),
        ("arguments", &[("area 2 |", "area 2 --up |")]),
        ("imports", &[(". ./lib.sh\n", ". ./tools.sh\n")]),
        ("only a comment", &[("    log \"$scale\"", "    log \"$scale\" # says")]),
        ("only white space", &[("area 2 | sort", "area 2   |   sort")]),
        ("an error", &[("area 2 | sort", "area 2 |")]),
    ];
    check(
        "a.sh",
        text,
        edits,
        expect![[r#"
            renamed
                0 replaces variable_name in area.factor: [-scale-] [+factor+]
                1 replaces simple_expansion in area: [-$scale-] [+$factor+]
                2 replaces variable_name in area: [-scale-] [+factor+]
            reordered
                0 moves away function_definition in area: [-area() {
                    local scale=$1
                    log "$scale"
                    echo $((size * scale))
                }-]
                1 moves here function_definition in area: [+area() {
                    local scale=$1
                    log "$scale"
                    echo $((size * scale))
                }+]
            wrapped
                0 inserts if_statement in area: [+if [ -n "$scale" ]; then+] [+fi+]
            extracted
                0 replaces command_name in area: [-log-] [+times+]
                1 moves away command in area: [-echo $((size * scale))-]
                2 inserts function_definition in times: [+times() {+] [+}+]
                  3 inserts command in times: [+log "$scale"+]
                  4 moves here command in times: [+echo $((size * scale))+]
            arguments
                0 inserts word: [+--up+]
            imports
                0 deletes command: [-. ./lib.sh-]
                1 inserts command: [+. ./tools.sh+]
            only a comment
                0 changes only the layout of text: [+# says+]
            only white space
                0 changes only the layout of text: 
            an error
                0 deletes command: [-sort-]
        "#]],
    );
}

#[test]
fn sql() {
    let text = r#"CREATE TABLE shapes (
    id integer PRIMARY KEY,
    size integer NOT NULL
);

INSERT INTO shapes (id, size) VALUES (1, 10), (2, 20);

SELECT id, size FROM shapes WHERE size > 10 ORDER BY id;
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("size", "length")]),
        ("a column", &[("    size integer NOT NULL\n", "    size integer NOT NULL,\n    name text\n")]),
        ("another type", &[("size integer", "size bigint")]),
        ("a row", &[("(1, 10), ", "(1, 10), (3, 30), ")]),
        ("a term", &[("SELECT id, size", "SELECT id, name, size")]),
        ("a condition", &[("size > 10", "size > 10 AND id < 7")]),
        ("a statement", &[("INSERT", "DELETE FROM shapes;\n\nINSERT")]),
        ("only a comment", &[("\nSELECT", "\n-- all of them\nSELECT")]),
        ("only white space", &[("FROM shapes WHERE", "FROM shapes\nWHERE")]),
    ];
    check(
        "a.sql",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces identifier in length: [-size-] [+length+]
            1 replaces column: [-size-] [+length+]
            2 replaces term: [-size-] [+length+]
            3 replaces field: [-size-] [+length+]
        a column
            0 inserts column_definition in name: [+,
                name text+]
        another type
            0 replaces bigint in size: [-integer-] [+bigint+]
        a row
            0 inserts list: [+(3, 30),+]
        a term
            0 inserts term: [+, name+]
        a condition
            0 inserts binary_expression: [+AND id < 7+]
        a statement
            0 inserts statement: [+DELETE FROM shapes;+]
        only a comment
            0 changes only the layout of text: [+-- all of them+]
        only white space
            0 changes only the layout of text: 
    "#]],
    );
}

#[test]
fn markup() {
    let css = "body {\n  color: red;\n  margin: 0;\n}\n\n.a, .b > p {\n  padding: 1px 2px;\n}\n";
    let edits: Edits<'_> = &[
        ("a value", &[("red", "blue")]),
        ("a property", &[("  margin: 0;\n", "  margin: 0;\n  border: none;\n")]),
        ("a selector", &[(".a, .b > p", ".a, .c, .b > p")]),
        ("a rule", &[("\n.a", "\np {\n  color: red;\n}\n\n.a")]),
        ("only a comment", &[("  margin", "  /* none */\n  margin")]),
        ("only white space", &[("  margin: 0;", "  margin:0;")]),
    ];
    check(
        "a.css",
        css,
        edits,
        expect![[r#"
        a value
            0 replaces plain_value: [-red-] [+blue+]
        a property
            0 inserts declaration: [+border: none;+]
        a selector
            0 inserts class_selector: [+, .c+]
        a rule
            0 inserts rule_set: [+p {+] [+}+]
              1 inserts declaration: [+color: red;+]
        only a comment
            0 changes only the layout of text: [+/* none */+]
        only white space
            0 changes only the layout of text: 
    "#]],
    );

    let html =
        "<!DOCTYPE html>\n<html>\n  <body class=\"a\">\n    <p>one</p>\n    <p>two</p>\n  </body>\n</html>\n";
    let edits: Edits<'_> = &[
        ("an attribute", &[("class=\"a\"", "class=\"b\" id=\"x\"")]),
        ("an element", &[("    <p>two</p>\n", "    <p>two</p>\n    <hr>\n")]),
        ("wrapped", &[("    <p>two</p>\n", "    <div>\n      <p>two</p>\n    </div>\n")]),
        ("text", &[("one", "three")]),
        ("only a comment", &[("    <p>two", "    <!-- and -->\n    <p>two")]),
    ];
    check(
        "a.html",
        html,
        edits,
        expect![[r#"
            an attribute
                0 replaces quoted_attribute_value: [-"a"-] [+"b"+]
                1 inserts attribute: [+id="x"+]
            an element
                0 inserts element: [+<hr>+]
            wrapped
                0 inserts element: [+<div>+] [+</div>+]
            text
                0 replaces text: [-one-] [+three+]
            only a comment
                0 changes only the layout of text: [+<!-- and -->+]
        "#]],
    );

    let markdown = "# Title\n\nSome words here.\n\n## First\n\n- one\n- two\n\n## Second\n\nMore words.\n";
    let edits: Edits<'_> = &[
        ("a word", &[("Some words", "Other words")]),
        ("an item", &[("- two\n", "- two\n- three\n")]),
        ("a section", &[("## Second", "## Between\n\nText.\n\n## Second")]),
    ];
    check(
        "a.md",
        markdown,
        edits,
        expect![[r#"
            a word
                0 replaces text: [-Some words here-] [+Other words here+]
            an item
                0 inserts list_item: [+- three+]
            a section
                0 inserts section: [+## Between+]
                  1 inserts paragraph: [+Text.+]
        "#]],
    );
}

#[test]
fn tsx() {
    let text = r#"import { a } from "a";

export function View({ size }: Props) {
  const [n, setN] = a(size);
  log(n);
  return <p title="x">{n}</p>;
}
"#;
    let edits: Edits<'_> = &[
        ("renamed", &[("setN", "set")]),
        ("wrapped", &[("  log(n);\n", "  if (n > 1) {\n    log(n);\n  }\n")]),
        ("signature", &[("{ size }: Props", "{ size, up = true }: Props")]),
        ("imports", &[("{ a }", "{ a, b }")]),
        ("an attribute", &[("title=\"x\"", "title=\"x\" id=\"y\"")]),
        ("an element", &[("{n}</p>", "{n}<br /></p>")]),
        ("only a comment", &[("  log(n);", "  log(n); // says")]),
        ("only white space", &[("a(size)", "a( size )")]),
        ("an error", &[("a(size);", "a(size;")]),
    ];
    check(
        "a.tsx",
        text,
        edits,
        expect![[r#"
        renamed
            0 replaces identifier in View: [-setN-] [+set+]
        wrapped
            0 inserts if_statement in View: [+if (n > 1) {+] [+}+]
        signature
            0 inserts object_assignment_pattern in View: [+, up = true+]
        imports
            0 inserts import_specifier: [+, b+]
        an attribute
            0 inserts jsx_attribute in View: [+id="y"+]
        an element
            0 inserts jsx_self_closing_element in View: [+<br />+]
        only a comment
            0 changes only the layout of text: [+// says+]
        only white space
            0 changes only the layout of text: 
        an error
            0 deletes ) in View: [-)-]
    "#]],
    );
}
