//! What a file imports, and what it can be imported as.

use super::super::grammar::Entity;
use super::super::rule::Rule;
use super::Reader;
use nub_syntax::Node;

impl Reader<'_> {
    pub(super) fn imports(&mut self, path: &[u8]) {
        for module in module_names(path) {
            let module = self.read.facts.name(&module);
            if self.top == self.file {
                self.read.laws.module.push((self.file, module));
            }
        }
        for node in 0..self.tree.len() as Node {
            match (self.grammar.language, self.tree.kind_name(node)) {
                ("java", "import_declaration") => self.java(node),
                ("c" | "cpp", "preproc_include") => self.include(node),
                ("python", "import_from_statement") => self.python_from(node),
                ("python", "import_statement") => self.python_import(node),
                ("javascript" | "typescript", "import_statement") => self.javascript(node),
                ("javascript" | "typescript", "call_expression") => self.require(node),
                ("rust", "use_declaration") => self.rust_use(node),
                ("rust", "mod_item") => self.rust_mod(node),
                ("go", "import_spec") => self.go(node),
                _ => {}
            }
        }
    }

    /// A name that is brought into the file: as what, and from where.
    fn import(&mut self, bound: Node, target: Node, module: &[u8]) {
        self.is_bound[bound as usize] = true;
        let fact = self.fact_of(bound, [target]);
        let (name, target) = (self.name(bound), self.name(target));
        let module = self.read.facts.name(module);
        self.heat(fact, name);
        self.heat(fact, target);
        self.read.laws.defines.push((fact, Entity::Import, name, self.file));
        if self.is_law(Rule::Imported) {
            self.read.laws.imports.push((fact, name, self.file, target, module));
        }
    }

    fn import_file(&mut self, at: Node, module: &[u8]) {
        let fact = self.fact(at);
        let module = self.read.facts.name(module);
        if self.is_law(Rule::ImportedFile) {
            self.read.laws.imports_file.push((fact, module));
        }
    }

    fn names_under(&self, node: Node) -> Vec<Node> {
        self.tree.subtree(node).filter(|&n| self.is_name(n)).collect()
    }

    fn java(&mut self, node: Node) {
        let names = self.names_under(node);
        let Some((&last, before)) = names.split_last() else { return };
        let dotted = |names: &[Node]| -> Vec<u8> {
            let parts: Vec<&[u8]> = names.iter().map(|&n| self.tree.spelled(n)).collect();
            parts.join(&b'.')
        };
        let all: Vec<u8> = dotted(&names);
        let package = dotted(before);
        names.iter().for_each(|&n| self.is_bound[n as usize] = true);
        if self.tree.children(node).any(|n| self.tree.kind_name(n) == "asterisk") {
            let scope = self.scope(&[b"package ", &all]);
            self.read.laws.inside.push((self.file, scope));
        } else {
            self.import(last, last, &package);
        }
    }

    fn include(&mut self, node: Node) {
        let Some(path) = self.tree.child(node, "path") else { return };
        let text = self.tree.spelled(path);
        if text.starts_with(b"\"") {
            let name = text.rsplit(|&b| b == b'/').next().unwrap_or(text);
            let name: Vec<u8> = name.iter().copied().filter(|b| *b != b'"').collect();
            self.import_file(node, &name);
        }
    }

    fn python_from(&mut self, node: Node) {
        let Some(module) = self.tree.child(node, "module_name") else { return };
        let parts = self.names_under(module);
        parts.iter().for_each(|&n| self.is_bound[n as usize] = true);
        let stem = parts.last().map(|&n| self.tree.spelled(n).to_vec());
        if let Some(stem) = &stem {
            self.import_file(module, stem);
        }
        let named: Vec<Node> =
            self.tree.children(node).filter(|&n| self.tree.field(n) == Some("name")).collect();
        for name in named {
            let tokens = self.names_under(name);
            let (Some(&target), Some(&bound)) = (tokens.first(), tokens.last()) else { continue };
            tokens.iter().for_each(|&n| self.is_bound[n as usize] = true);
            self.import(bound, target, stem.as_deref().unwrap_or(b""));
        }
    }

    fn python_import(&mut self, node: Node) {
        for name in self.named_children(node) {
            let tokens = self.names_under(name);
            let Some(&first) = tokens.first() else { continue };
            let alias = self.tree.child(name, "alias");
            tokens.iter().for_each(|&n| self.is_bound[n as usize] = true);
            self.import(alias.unwrap_or(first), first, b"");
            let module =
                tokens[if alias.is_some() { tokens.len().saturating_sub(2) } else { tokens.len() - 1 }];
            self.import_file(name, self.tree.spelled(module));
        }
    }

    fn javascript(&mut self, node: Node) {
        let Some(source) = self.tree.child(node, "source") else { return };
        let module = stem(self.tree.spelled(source));
        if is_relative(self.tree.spelled(source)) {
            self.import_file(source, &module);
        }
        for part in self.tree.subtree(node).collect::<Vec<_>>() {
            match self.tree.kind_name(part) {
                "import_specifier" => {
                    let tokens = self.names_under(part);
                    if let (Some(&target), Some(&bound)) = (tokens.first(), tokens.last()) {
                        tokens.iter().for_each(|&n| self.is_bound[n as usize] = true);
                        self.import(bound, target, &module);
                    }
                }
                "namespace_import" | "import_clause" => {
                    let token = self.tree.children(part).find(|&n| self.is_name(n));
                    token.into_iter().for_each(|n| self.import(n, n, b""));
                }
                _ => {}
            }
        }
    }

    fn require(&mut self, node: Node) {
        let Some(callee) = self.tree.child(node, "function") else { return };
        let Some(list) = self.tree.child(node, "arguments") else { return };
        let argument = self.named_children(list).first().copied();
        if self.tree.spelled(callee) == b"require"
            && let Some(source) = argument.filter(|&n| is_relative(self.tree.spelled(n)))
        {
            self.import_file(source, &stem(self.tree.spelled(source)));
        }
    }

    fn rust_use(&mut self, node: Node) {
        let tokens = self.names_under(node);
        for (i, &token) in tokens.iter().enumerate() {
            self.is_bound[token as usize] = true;
            let parent = self.tree.parent(token).map_or("", |p| self.tree.kind_name(p));
            let field = self.tree.field(token);
            let is_leaf = match parent {
                "scoped_identifier" => {
                    let whole = self.tree.parent(token).unwrap_or(token);
                    let above = self.tree.parent(whole).map_or("", |p| self.tree.kind_name(p));
                    field == Some("name") && matches!(above, "use_declaration" | "use_list" | "use_as_clause")
                }
                "use_list" | "use_declaration" => true,
                _ => false,
            };
            if is_leaf {
                let alias = tokens.get(i + 1).copied().filter(|&n| self.tree.field(n) == Some("alias"));
                let module = i.checked_sub(1).map(|i| self.tree.spelled(tokens[i]).to_vec());
                self.import(alias.unwrap_or(token), token, &module.unwrap_or_default());
            }
        }
    }

    fn rust_mod(&mut self, node: Node) {
        if self.tree.child(node, "body").is_none()
            && let Some(name) = self.tree.child(node, "name")
        {
            self.import_file(name, self.tree.spelled(name));
        }
    }

    fn go(&mut self, node: Node) {
        let Some(path) = self.tree.child(node, "path") else { return };
        let alias = self.tree.child(node, "name");
        let token = alias.unwrap_or(path);
        let fact = self.fact(token);
        let name = match alias {
            Some(alias) => self.name(alias),
            None => {
                let last = stem(self.tree.spelled(path));
                self.read.facts.name(&last)
            }
        };
        self.heat(fact, name);
        self.read.laws.defines.push((fact, Entity::Import, name, self.file));
        if !matches!(self.read.facts.text(name), b"_" | b".") {
            self.read.laws.must_use.push((fact, name, self.file));
        }
    }
}

fn is_relative(quoted: &[u8]) -> bool {
    quoted.get(1) == Some(&b'.')
}

/// `y` of `"./x/y.js"`.
fn stem(quoted: &[u8]) -> Vec<u8> {
    let text: Vec<u8> = quoted.iter().copied().filter(|b| !matches!(b, b'"' | b'\'' | b'`')).collect();
    let name = text.rsplit(|&b| b == b'/').next().unwrap_or(&text);
    let end = name.iter().position(|&b| b == b'.').filter(|&i| i > 0).unwrap_or(name.len());
    name[..end].to_vec()
}

/// What a file can be imported as: its name, with and without the ending, or that of its folder.
pub(in crate::rules) fn module_names(path: &[u8]) -> Vec<Vec<u8>> {
    let mut parts = path.rsplit(|&b| b == b'/');
    let name = parts.next().unwrap_or(path);
    let folder = parts.next();
    let end = name.iter().position(|&b| b == b'.').filter(|&i| i > 0).unwrap_or(name.len());
    let stem = &name[..end];
    let mut names = vec![name.to_vec(), stem.to_vec()];
    if matches!(stem, b"__init__" | b"index" | b"mod") {
        names.extend(folder.map(<[u8]>::to_vec));
    }
    names.dedup();
    names
}
