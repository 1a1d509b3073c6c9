// SPDX-License-Identifier: MIT
// The headers of librocprofiler-sdk that are for C++ alone: handles in containers, names by number.

#include <csetjmp>
#include <cstdarg>
#include <cstddef>
#include <cstdint>

#include <map>
#include <stdexcept>
#include <string>
#include <unordered_map>

#include <rocprofiler-sdk/cxx/hash.hpp>
#include <rocprofiler-sdk/cxx/name_info.hpp>
#include <rocprofiler-sdk/cxx/operators.hpp>
#include <rocprofiler-sdk/cxx/utility.hpp>
#include <rocprofiler-sdk/cxx/version.hpp>
#include <rocprofiler-sdk/rocprofiler.h>

// Last: it has macros with names of the standard library's.
extern "C" {
#include <cmocka.h>
}

namespace sdk = rocprofiler::sdk;

// ---- operators.hpp, hash.hpp ----

// Of a, which is less than b.
template <typename Value> static void compare(const Value &a, const Value &b)
{
	assert_true(a == a && !(a == b));
	assert_true(a != b && !(a != a));
	assert_true(a < b && !(b < a) && !(a < a));
	assert_true(b > a && !(a > b) && !(a > a));
	assert_true(a <= b && a <= a && !(b <= a));
	assert_true(b >= a && a >= a && !(a >= b));
}

template <typename Handle> static void use_as_key()
{
	std::unordered_map<Handle, int> hashed;
	std::map<Handle, int> sorted;
	Handle one = {}, two = {};

	one.handle = 1;
	two.handle = UINT64_MAX;
	compare(one, two);
	hashed[two] = sorted[two] = 20;
	hashed[one] = sorted[one] = 10;
	two.handle = 1;
	assert_int_equal(hashed.at(two), 10);
	assert_int_equal(sorted.begin()->second, 10);
	assert_int_equal(hashed.size(), 2);
}

static void handles_are_keys_of_containers(void **)
{
	use_as_key<rocprofiler_address_t>();
	use_as_key<rocprofiler_agent_id_t>();
	use_as_key<rocprofiler_buffer_id_t>();
	use_as_key<rocprofiler_callback_thread_t>();
	use_as_key<rocprofiler_context_id_t>();
	use_as_key<rocprofiler_counter_config_id_t>();
	use_as_key<rocprofiler_counter_id_t>();
	use_as_key<rocprofiler_queue_id_t>();
	use_as_key<rocprofiler_stream_id_t>();
	use_as_key<rocprofiler_thread_trace_decoder_id_t>();
	use_as_key<hsa_agent_t>();
	use_as_key<hsa_amd_memory_pool_t>();
	use_as_key<hsa_executable_t>();
	use_as_key<hsa_region_t>();
	use_as_key<hsa_signal_t>();
}

static void agents_are_compared_by_their_ids(void **)
{
	rocprofiler_agent_v0_t a = {}, b = {};

	a.id.handle = 1;
	b.id.handle = 2;
	a.cu_count = 7;
	compare(a, b);
	b.id.handle = 1;
	assert_true(a == b);
}

static void dimensions_are_compared_by_volume_first(void **)
{
	compare(rocprofiler_dim3_t{9, 1, 1}, rocprofiler_dim3_t{1, 5, 2});
	compare(rocprofiler_dim3_t{1, 9, 4}, rocprofiler_dim3_t{2, 1, 18});
	compare(rocprofiler_dim3_t{4, 1, 9}, rocprofiler_dim3_t{4, 9, 1});
	compare(rocprofiler_dim3_t{7, 1, 1}, rocprofiler_dim3_t{1U << 31, 2, 1});
}

static void versions_are_compared_part_by_part(void **)
{
	compare(rocprofiler_version_triplet_t{1, 9, 9}, rocprofiler_version_triplet_t{2, 0, 0});
	compare(rocprofiler_version_triplet_t{1, 1, 9}, rocprofiler_version_triplet_t{1, 2, 0});
	compare(rocprofiler_version_triplet_t{1, 1, 8}, rocprofiler_version_triplet_t{1, 1, 9});
}

// ---- version.hpp, utility.hpp ----

static void a_version_is_taken_apart(void **)
{
	using sdk::version::compute_version_triplet;

	assert_true((compute_version_triplet(60342) == rocprofiler_version_triplet_t{6, 3, 42}));
	assert_true(
		(compute_version_triplet<1000>(3002001) == rocprofiler_version_triplet_t{3, 2, 1}));
	static_assert(compute_version_triplet(ROCPROFILER_SDK_VERSION).major == 1);
}

static void numbers_are_text(void **)
{
	assert_string_equal(sdk::utility::as_hex(255).c_str(), "0xff");
	assert_string_equal(sdk::utility::as_hex(0xffU, 4).c_str(), "0x00ff");
	assert_string_equal(sdk::utility::as_hex(reinterpret_cast<char *>(0x10)).c_str(), "0x10");
}

// ---- name_info.hpp ----

static void all_names_are_looked_up_by_number(void **)
{
	const auto names = sdk::get_callback_tracing_names();

	assert_int_equal(names.size(), ROCPROFILER_CALLBACK_TRACING_LAST);
	assert_int_equal(names.items().size(), ROCPROFILER_CALLBACK_TRACING_LAST);
	assert_true(names[ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API].name == "HIP_RUNTIME_API");
	assert_true(names.at(ROCPROFILER_CALLBACK_TRACING_MEMORY_COPY) == "MEMORY_COPY");
	assert_true(names[ROCPROFILER_CALLBACK_TRACING_HIP_RUNTIME_API]
			 [ROCPROFILER_HIP_RUNTIME_API_ID_hipMalloc] == "hipMalloc");
	assert_true(names.at(ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API,
			     ROCPROFILER_HSA_CORE_API_ID_hsa_queue_create) == "hsa_queue_create");

	// What buffers have, and what they count otherwise.
	const auto buffered = sdk::get_buffer_tracing_names<std::string>();

	assert_int_equal(buffered.size(), ROCPROFILER_BUFFER_TRACING_LAST);
	assert_true(buffered[ROCPROFILER_BUFFER_TRACING_KERNEL_DISPATCH]() == "KERNEL_DISPATCH");
	assert_true(buffered[ROCPROFILER_BUFFER_TRACING_MARKER_CORE_API]
			    [ROCPROFILER_MARKER_CORE_API_ID_roctxMarkA] == "roctxMarkA");
	assert_string_equal(sdk::get_buffer_tracing_names<const char *>().at(
				    ROCPROFILER_BUFFER_TRACING_MEMORY_COPY),
			    "MEMORY_COPY");
}

static void items_are_what_there_is(void **)
{
	const auto kinds = sdk::get_callback_tracing_names();
	unsigned int kind = 0;

	for (const auto *info : kinds.items())
		assert_int_equal(info->value, kind++);

	const auto names = sdk::get_buffer_tracing_names();
	const auto functions = names[ROCPROFILER_BUFFER_TRACING_HSA_CORE_API].items();

	assert_int_equal(functions.size(), ROCPROFILER_HSA_CORE_API_ID_LAST);
	for (const auto &[number, name] : functions)
		assert_true(names[ROCPROFILER_BUFFER_TRACING_HSA_CORE_API](number) == *name);
	assert_int_equal(functions[7].first, 7);
}

static void names_come_in_any_order(void **)
{
	sdk::callback_name_info names;

	names.emplace(ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, 2, "two");
	names.emplace(ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API, 0, "zero");
	names.emplace(ROCPROFILER_CALLBACK_TRACING_NONE, "none");
	assert_int_equal(names.size(), ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API + 1);
	assert_true(names[ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API][2] == "two");
	assert_true(names[ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API][1].empty());
	assert_true(names[ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API][0] == "zero");
	assert_true(names[ROCPROFILER_CALLBACK_TRACING_NONE].name == "none");
}

template <typename Function> static bool is_out_of_range(Function function)
{
	try {
		function();
	} catch (const std::out_of_range &) {
		return true;
	}
	return false;
}

static void what_is_no_number_throws(void **)
{
	const auto names = sdk::get_callback_tracing_names();

	assert_true(is_out_of_range([&] { return names[ROCPROFILER_CALLBACK_TRACING_LAST]; }));
	assert_true(is_out_of_range([&] {
		return names[ROCPROFILER_CALLBACK_TRACING_HSA_CORE_API]
			    [ROCPROFILER_HSA_CORE_API_ID_LAST];
	}));
}

int main()
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(handles_are_keys_of_containers),
		cmocka_unit_test(agents_are_compared_by_their_ids),
		cmocka_unit_test(dimensions_are_compared_by_volume_first),
		cmocka_unit_test(versions_are_compared_part_by_part),
		cmocka_unit_test(a_version_is_taken_apart),
		cmocka_unit_test(numbers_are_text),
		cmocka_unit_test(all_names_are_looked_up_by_number),
		cmocka_unit_test(items_are_what_there_is),
		cmocka_unit_test(names_come_in_any_order),
		cmocka_unit_test(what_is_no_number_throws),
	};

	return cmocka_run_group_tests_name("headers_for_cxx", tests, nullptr, nullptr);
}
