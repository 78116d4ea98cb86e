//! What a screen reader is told: the headings, paragraphs, lists, tables and pictures, and which marks on which page draw them.

use super::objects::{Id, Objects, text_string};
use std::fmt::Write as _;

/// A part of the document.
struct Element {
    kind: &'static str,
    parent: usize,
    id: Id,
    kids: Vec<Kid>,
    alt: Option<String>,
}

/// What an element has.
#[derive(Clone, Copy)]
enum Kid {
    Element(usize),
    /// Marked content of a page.
    Content(u32, u32),
    /// An annotation of a page.
    Annotation(u32, Id),
}

/// The tree of a document, which grows with it.
pub(super) struct Structure {
    elements: Vec<Element>,
    open: Vec<usize>,
    /// By page: the element of each marked content.
    parents: Vec<Vec<usize>>,
    /// The element of each annotation.
    annotations: Vec<usize>,
}

impl Structure {
    pub(super) fn new(objects: &mut Objects) -> Self {
        let root = Element { kind: "Document", parent: 0, id: objects.reserve(), kids: Vec::new(), alt: None };
        Self { elements: vec![root], open: vec![0], parents: Vec::new(), annotations: Vec::new() }
    }

    fn top(&self) -> usize {
        self.open.last().copied().unwrap_or_default()
    }

    pub(super) fn open(&mut self, kind: &'static str, objects: &mut Objects) {
        self.open_with(kind, None, objects);
    }

    pub(super) fn open_with(&mut self, kind: &'static str, alt: Option<String>, objects: &mut Objects) {
        let (at, parent) = (self.elements.len(), self.top());
        if let Some(element) = self.elements.get_mut(parent) {
            element.kids.push(Kid::Element(at));
        }
        self.elements.push(Element { kind, parent, id: objects.reserve(), kids: Vec::new(), alt });
        self.open.push(at);
    }

    pub(super) fn close(&mut self) {
        if self.open.len() > 1 {
            self.open.pop();
        }
    }

    /// The kind of the innermost element.
    pub(super) fn kind(&self) -> &'static str {
        self.elements.get(self.top()).map_or("P", |element| element.kind)
    }

    /// Marked content of the innermost element on a page: its number there.
    pub(super) fn content(&mut self, page: usize) -> usize {
        while self.parents.len() <= page {
            self.parents.push(Vec::new());
        }
        let (top, page_number) = (self.top(), u32::try_from(page).unwrap_or_default());
        let Some(parents) = self.parents.get_mut(page) else { return 0 };
        let number = parents.len();
        parents.push(top);
        if let Some(element) = self.elements.get_mut(top) {
            element.kids.push(Kid::Content(page_number, u32::try_from(number).unwrap_or_default()));
        }
        number
    }

    /// An annotation of the innermost element: its number in the tree of parents, behind the pages.
    pub(super) fn annotation(&mut self, page: usize, id: Id) -> usize {
        let top = self.top();
        if let Some(element) = self.elements.get_mut(top) {
            element.kids.push(Kid::Annotation(u32::try_from(page).unwrap_or_default(), id));
        }
        self.annotations.push(top);
        // Pages have the numbers below.
        super::MAX_PAGES + self.annotations.len() - 1
    }

    /// Writes the tree.
    pub(super) fn write(self, pages: &[Id], objects: &mut Objects) -> Id {
        let root = objects.reserve();
        let page = |at: u32| pages.get(at as usize).copied().unwrap_or(Id(0));
        let id_of = |at: usize| self.elements.get(at).map_or(Id(0), |element| element.id);
        for (at, element) in self.elements.iter().enumerate() {
            let parent = if at == 0 { root } else { id_of(element.parent) };
            let mut text = format!("<</Type/StructElem/S/{}/P {parent}", element.kind);
            if let Some(alt) = &element.alt {
                let _ = write!(text, "/Alt{}", text_string(alt));
            }
            if element.kind == "TH" {
                text.push_str("/A<</O/Table/Scope/Column>>");
            }
            let first = element.kids.iter().find_map(|kid| match kid {
                Kid::Content(at, _) => Some(*at),
                _ => None,
            });
            if let Some(first) = first {
                let _ = write!(text, "/Pg {}", page(first));
            }
            text.push_str("/K[");
            for kid in &element.kids {
                let _ = match kid {
                    Kid::Element(at) => write!(text, "{} ", id_of(*at)),
                    Kid::Content(at, number) if Some(*at) == first => write!(text, "{number} "),
                    Kid::Content(at, number) => write!(text, "<</Type/MCR/Pg {}/MCID {number}>>", page(*at)),
                    Kid::Annotation(at, id) => write!(text, "<</Type/OBJR/Pg {}/Obj {id}>>", page(*at)),
                };
            }
            text.push_str("]>>");
            objects.put(element.id, text);
        }
        let mut numbers = String::new();
        for (at, parents) in self.parents.iter().enumerate() {
            let mut list = String::from("[");
            for parent in parents {
                let _ = write!(list, "{} ", id_of(*parent));
            }
            list.push(']');
            let list = objects.add(list);
            let _ = write!(numbers, "{at} {list} ");
        }
        for (at, parent) in self.annotations.iter().enumerate() {
            let _ = write!(numbers, "{} {} ", super::MAX_PAGES + at, id_of(*parent));
        }
        let tree = objects.add(format!("<</Nums[{numbers}]>>"));
        let next = super::MAX_PAGES + self.annotations.len();
        objects
            .put(root, format!("<</Type/StructTreeRoot/K[{}]/ParentTree {tree}/ParentTreeNextKey {next}>>", id_of(0)));
        root
    }
}
