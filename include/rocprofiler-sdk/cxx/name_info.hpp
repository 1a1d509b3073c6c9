/* SPDX-License-Identifier: MIT */
/*
 * The names of all kinds and operations, read once to be looked up by number (C++17):
 *
 *	auto names = rocprofiler::sdk::get_callback_tracing_names();
 *
 *	names[record.kind][record.operation]	the operation's
 *	names[record.kind].name			the kind's
 *
 * A number that has no name below one that has is an empty name; above, std::out_of_range is
 *thrown.
 */
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <rocprofiler-sdk/buffer_tracing.h>
#include <rocprofiler-sdk/callback_tracing.h>
#include <rocprofiler-sdk/fwd.h>

namespace rocprofiler
{
namespace sdk
{
namespace utility
{

/* Of one kind. `Name`: std::string_view, std::string or const char *. */
template <typename Kind, typename Name = std::string_view> struct name_info_impl {
	static_assert(std::is_constructible_v<Name, const char *>, "made of a C string");

	using enum_type = Kind;
	using value_type = Name;
	using return_type = Name;
	using item_type = std::pair<rocprofiler_tracing_operation_t, const Name *>;
	using item_array_t = std::vector<item_type>;

	Kind value = static_cast<Kind>(0);
	Name name = {};
	std::vector<Name> operations = {};

	Name operator()() const
	{
		return name;
	}

	Name operator()(size_t operation) const
	{
		return operations.at(operation);
	}

	Name operator[](size_t operation) const
	{
		return operations.at(operation);
	}

	/* Numbers and names of all operations. */
	item_array_t items() const
	{
		item_array_t list;

		for (const Name &each : operations)
			list.emplace_back(list.size(), &each);
		return list;
	}
};

/* Of all kinds. */
template <typename Kind, typename Name = std::string_view> struct name_info {
	using enum_type = Kind;
	using value_type = name_info_impl<Kind, Name>;
	using return_type = Name;
	using item_type = const value_type *;
	using item_array_t = std::vector<item_type>;

	void emplace(Kind kind, const char *name)
	{
		kind_at(kind).name = Name(name);
	}

	void emplace(Kind kind, rocprofiler_tracing_operation_t operation, const char *name)
	{
		std::vector<Name> &names = kind_at(kind).operations;

		if (names.size() <= static_cast<size_t>(operation))
			names.resize(operation + 1, Name{});
		names[operation] = Name(name);
	}

	Name at(Kind kind) const
	{
		return kinds.at(kind).name;
	}

	Name at(Kind kind, rocprofiler_tracing_operation_t operation) const
	{
		return kinds.at(kind).operations.at(operation);
	}

	value_type &operator[](size_t kind)
	{
		return kinds.at(kind);
	}

	const value_type &operator[](size_t kind) const
	{
		return kinds.at(kind);
	}

	item_array_t items() const
	{
		item_array_t list;

		for (const value_type &each : kinds)
			list.push_back(&each);
		return list;
	}

	auto size() const
	{
		return kinds.size();
	}

	auto begin()
	{
		return kinds.begin();
	}

	auto begin() const
	{
		return kinds.begin();
	}

	auto end()
	{
		return kinds.end();
	}

	auto end() const
	{
		return kinds.end();
	}

      private:
	value_type &kind_at(size_t kind)
	{
		for (size_t i = kinds.size(); i <= kind; i++)
			kinds.emplace_back().value = static_cast<Kind>(i);
		return kinds[kind];
	}

	std::vector<value_type> kinds;
};

/* Reads them, by one service's functions. */
template <typename Names, auto query_kind, auto query_operation, auto iterate_kinds,
	  auto iterate_operations>
Names read_names()
{
	using kind_t = typename Names::enum_type;
	Names names;

	static const auto add_operation = [](kind_t kind, rocprofiler_tracing_operation_t operation,
					     void *arg) {
		const char *name = nullptr;

		query_operation(kind, operation, &name, nullptr);
		if (name)
			static_cast<Names *>(arg)->emplace(kind, operation, name);
		return 0;
	};
	static const auto add_kind = [](kind_t kind, void *arg) {
		const char *name = nullptr;

		query_kind(kind, &name, nullptr);
		if (name)
			static_cast<Names *>(arg)->emplace(kind, name);
		iterate_operations(kind, add_operation, arg);
		return 0;
	};

	iterate_kinds(add_kind, &names);
	return names;
}

} // namespace utility

template <typename Name = std::string_view>
using callback_name_info_t = utility::name_info<rocprofiler_callback_tracing_kind_t, Name>;

template <typename Name = std::string_view>
using buffer_name_info_t = utility::name_info<rocprofiler_buffer_tracing_kind_t, Name>;

using callback_name_info = callback_name_info_t<>;
using buffer_name_info = buffer_name_info_t<>;

template <typename Name = std::string_view> callback_name_info_t<Name> get_callback_tracing_names()
{
	return utility::read_names<callback_name_info_t<Name>,
				   rocprofiler_query_callback_tracing_kind_name,
				   rocprofiler_query_callback_tracing_kind_operation_name,
				   rocprofiler_iterate_callback_tracing_kinds,
				   rocprofiler_iterate_callback_tracing_kind_operations>();
}

template <typename Name = std::string_view> buffer_name_info_t<Name> get_buffer_tracing_names()
{
	return utility::read_names<buffer_name_info_t<Name>,
				   rocprofiler_query_buffer_tracing_kind_name,
				   rocprofiler_query_buffer_tracing_kind_operation_name,
				   rocprofiler_iterate_buffer_tracing_kinds,
				   rocprofiler_iterate_buffer_tracing_kind_operations>();
}

} // namespace sdk
} // namespace rocprofiler
