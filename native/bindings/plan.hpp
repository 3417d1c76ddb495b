#pragma once

#include <nanobind/nanobind.h>

void define_plan(nanobind::module_& m);
