# SPDX-License-Identifier: Apache-2.0
"""All memory of the library comes from its allocator: no malloc outside lib/base/alloc.c."""

import re

import tree

_C_HEAP = re.compile(
    r"(?<![\w.])(?<!->)(?:malloc|calloc|realloc|reallocarray|free|cfree|strdup|strndup|asprintf"
    r"|vasprintf|aligned_alloc|memalign|posix_memalign|valloc|getline|getdelim|open_memstream"
    r"|alloca|wcsdup)\b"
)
# Placement new builds an object in memory that is there already; everything else asks the heap.
_CPP_HEAP = re.compile(
    r"\bnew\b(?!\s*\((?!\s*(?:std\s*::\s*)?nothrow\b))|(?<!operator )(?<!= )\bdelete\b"
    r"|\bstd\s*::\s*(?:vector|string|deque|list|map|set|multimap|multiset|unordered_\w+|make_unique"
    r"|make_shared|unique_ptr|shared_ptr|function|\w*stringstream|to_string)\b"
)
_EXEMPT = "lib/base/alloc.c"


def check(files):
    files = {path: text for path, text in files.items() if path != _EXEMPT}
    cpp = {path: text for path, text in files.items() if path.endswith(".cpp")}
    why = f"memory comes from lam_allocator, and the heap only from {_EXEMPT}"
    return tree.words(files, _C_HEAP, why) + tree.words(cpp, _CPP_HEAP, why)


def check_tree():
    return check(tree.sources("lib", "include"))


def self_test():
    def run(path, text):
        return check({path: text})

    bad = "void f(void) {\n    char *s = strdup(t);\n    free(s);\n}\n"
    tree.expect(run("lib/page/a.c", bad), "lib/page/a.c:2: strdup", "lib/page/a.c:3: free")
    tree.expect(run("lib/base/alloc.c", bad))
    tree.expect(run("lib/page/a.c", "void *(*take)(size_t) = malloc;"), "malloc")
    tree.expect(run("include/lamella/a.h", "static inline void f(void *p) { free (p); }"), "free")
    tree.expect(run("lib/page/a.c", "a->free(a); a.realloc(b); lam_free(c); malloced();"))
    tree.expect(run("lib/page/a.c", '/* free(x) */ // malloc\nconst char *s = "free(x)";'))
    tree.expect(run("lib/page/a.c", "int new = 1, delete = 2;"))
    tree.expect(run("lib/json/a.cpp", "auto p = new T(1);"), "new")
    tree.expect(run("lib/json/a.cpp", "auto p = new (std::nothrow) T(1);"), "new")
    tree.expect(run("lib/json/a.cpp", "auto p = new (memory) T(1); p->~T();"))
    tree.expect(run("lib/json/a.cpp", "delete p; std::vector<int> v;"), "delete", "std::vector")
    tree.expect(run("lib/json/a.cpp", "A(const A &) = delete; std::string_view v;"))


if __name__ == "__main__":
    tree.main(check_tree, self_test)
